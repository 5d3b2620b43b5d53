-- :words is a JSON array; gives word, term id of those known.
SELECT word, term_id FROM term WHERE word = ANY (texts(:words))

-- :stems is a JSON array; gives stem, term id and word of every word with one of these stems.
SELECT stem, term_id, word FROM term WHERE stem = ANY (texts(:stems)) ORDER BY term_id

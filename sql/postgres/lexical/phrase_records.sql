-- Records in one field of which words of these stems follow each other. Others may be among lexical/phrase_doubts.
SELECT string_agg(CAST(record_id AS TEXT), ',') FROM record_words
WHERE title @@ CAST(:match AS TSQUERY) OR body @@ CAST(:match AS TSQUERY)

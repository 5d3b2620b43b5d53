-- term id, word, stem.
INSERT INTO term(term_id, word, stem) VALUES (?, ?, ?)

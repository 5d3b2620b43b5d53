-- space, text hash, float16 vector. The first vector of a text stays: it is the cache.
INSERT INTO embedding(space_no, text_hash, vector) VALUES (?, ?, ?)

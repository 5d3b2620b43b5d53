CREATE UNIQUE INDEX embedding_by_text ON embedding(space_no, text_hash)

-- Readers and writers go on meanwhile. Only integers of our own get into the text.
CREATE INDEX CONCURRENTLY embedding_hnsw_{space_no} ON embedding
USING hnsw ((CAST(vector AS {vector}.halfvec({dimensions}))) {vector}.halfvec_ip_ops)
WITH (m = {m}, ef_construction = {ef_construction}) WHERE space_no = {space_no}

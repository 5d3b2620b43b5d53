-- Waits for readers that use it, and lets all others pass.
DROP INDEX CONCURRENTLY IF EXISTS embedding_hnsw_{space_no}

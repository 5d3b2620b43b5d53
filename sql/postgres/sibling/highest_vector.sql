-- The highest number of a vector. Templated with a namespace.
SELECT coalesce(max(embedding_id), 0) FROM {namespace}.embedding

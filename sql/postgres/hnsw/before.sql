-- What hnsw/settings sets ends with hnsw/after.
SAVEPOINT before_nearest

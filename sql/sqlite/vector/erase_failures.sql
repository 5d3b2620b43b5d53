DELETE FROM embedding_failure WHERE text_hash IN (SELECT unhex(value) FROM json_each(:hashes))
  AND NOT EXISTS (SELECT 1 FROM record AS r WHERE r.text_hash = embedding_failure.text_hash)

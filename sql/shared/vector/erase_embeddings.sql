-- Texts that no record shows any more.
DELETE FROM embedding WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.text_hash = embedding.text_hash)

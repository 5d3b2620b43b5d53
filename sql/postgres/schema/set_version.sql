INSERT INTO schema_version(one, version) VALUES (1, :version)
ON CONFLICT (one) DO UPDATE SET version = excluded.version

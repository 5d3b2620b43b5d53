-- name, size, bytes; what is there already stays.
INSERT INTO blob(sha256, size, data) VALUES (?, ?, ?)
ON CONFLICT DO NOTHING

-- name, size, bytes; what is there already stays.
INSERT OR IGNORE INTO blob(sha256, size, data) VALUES (?, ?, ?)

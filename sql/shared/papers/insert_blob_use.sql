-- revision, name.
INSERT INTO blob_use(revision_no, sha256) VALUES (?, ?)

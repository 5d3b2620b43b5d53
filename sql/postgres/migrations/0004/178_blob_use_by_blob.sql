CREATE INDEX blob_use_by_blob ON blob_use(sha256)

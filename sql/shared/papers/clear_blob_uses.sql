DELETE FROM blob_use

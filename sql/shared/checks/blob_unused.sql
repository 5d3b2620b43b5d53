SELECT 'blob ' || b.sha256, 'no paper names the blob' FROM blob AS b
WHERE NOT EXISTS (SELECT 1 FROM blob_use AS u WHERE u.sha256 = b.sha256)

SELECT 'blob ' || u.sha256, 'a paper names the blob, but it is not there' FROM blob_use AS u
WHERE NOT EXISTS (SELECT 1 FROM blob AS b WHERE b.sha256 = u.sha256) GROUP BY u.sha256

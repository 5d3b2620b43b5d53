SELECT 'blob ' || u.sha256, 'the blob is kept for a revision that is not there' FROM blob_use AS u
WHERE NOT EXISTS (SELECT 1 FROM revision AS v WHERE v.revision_no = u.revision_no)

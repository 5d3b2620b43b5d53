SELECT sha256 FROM blob_use WHERE revision_no = :revision_no ORDER BY sha256

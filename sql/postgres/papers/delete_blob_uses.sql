DELETE FROM blob_use WHERE revision_no = ANY (ids(:ids))

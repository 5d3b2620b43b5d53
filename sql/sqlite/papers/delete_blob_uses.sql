DELETE FROM blob_use WHERE revision_no IN (SELECT value FROM json_each(:ids))

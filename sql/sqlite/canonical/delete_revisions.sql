DELETE FROM revision WHERE revision_no IN (SELECT value FROM json_each(:ids))

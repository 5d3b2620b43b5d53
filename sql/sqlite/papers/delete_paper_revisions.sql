DELETE FROM paper_revision WHERE revision_no IN (SELECT value FROM json_each(:ids))

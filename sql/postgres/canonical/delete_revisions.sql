DELETE FROM revision WHERE revision_no = ANY (ids(:ids))

DELETE FROM paper_revision WHERE revision_no = ANY (ids(:ids))

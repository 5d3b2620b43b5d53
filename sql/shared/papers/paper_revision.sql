SELECT title, arxiv_id, arxiv_paper FROM paper_revision WHERE revision_no = :revision_no

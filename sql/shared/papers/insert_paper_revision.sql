INSERT INTO paper_revision(revision_no, title, arxiv_id, arxiv_paper) VALUES (:revision_no, :title, :arxiv_id, :arxiv_paper)

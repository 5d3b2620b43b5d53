CREATE INDEX paper_by_arxiv ON paper_revision(arxiv_paper) WHERE arxiv_paper IS NOT NULL

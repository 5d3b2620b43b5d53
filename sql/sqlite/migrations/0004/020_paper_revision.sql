-- Derived from the payload of each revision of a paper: what it is looked up and listed by. `arxiv_paper` is `arxiv_id`
-- without its version.
CREATE TABLE paper_revision(
  revision_no INTEGER PRIMARY KEY REFERENCES revision(revision_no),
  title TEXT NOT NULL,
  arxiv_id TEXT,
  arxiv_paper TEXT
)

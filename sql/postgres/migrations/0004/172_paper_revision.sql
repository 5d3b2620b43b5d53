-- Derived from the payload of each revision of a paper: what it is looked up and listed by. `arxiv_paper` is `arxiv_id`
-- without its version.
CREATE TABLE paper_revision(
  revision_no BIGINT PRIMARY KEY REFERENCES revision(revision_no),
  title TEXT COLLATE "C" NOT NULL,
  arxiv_id TEXT COLLATE "C",
  arxiv_paper TEXT COLLATE "C"
)

DELETE FROM paper_revision

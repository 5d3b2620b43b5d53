-- Derived from the artifact: what it was made from, in order. An ancestor may have been purged since.
CREATE TABLE artifact_lineage(
  item_no INTEGER NOT NULL REFERENCES artifact(item_no),
  position INTEGER NOT NULL,
  ancestor_id TEXT NOT NULL,
  PRIMARY KEY (item_no, position)
) WITHOUT ROWID

-- Derived from the artifact: what it was made from, in order. An ancestor may have been purged since.
CREATE TABLE artifact_lineage(
  item_no BIGINT NOT NULL REFERENCES artifact(item_no),
  position BIGINT NOT NULL,
  ancestor_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (item_no, position)
)

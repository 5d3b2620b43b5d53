-- Derived from the payload of each revision of a paper: the blobs that it names. A blob that nobody names is erased.
CREATE TABLE blob_use(
  revision_no BIGINT NOT NULL REFERENCES revision(revision_no),
  sha256 TEXT COLLATE "C" NOT NULL REFERENCES blob(sha256),
  PRIMARY KEY (revision_no, sha256)
)

-- One row: that this namespace holds a hybridkb library, and in which version. SQLite keeps both in the file's header.
CREATE TABLE schema_version(
  one SMALLINT PRIMARY KEY CHECK (one = 1),
  version BIGINT NOT NULL
)

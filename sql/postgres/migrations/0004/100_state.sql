-- One row: what every reader looks at first. `generation` is bumped by every committing
-- transaction, `packing` whenever packed rows are made anew.
-- `stemmed` says whether `record_words` holds stems.
CREATE TABLE state(
  one BIGINT PRIMARY KEY CHECK (one = 1),
  generation BIGINT NOT NULL,
  packing BIGINT NOT NULL,
  stemmed BIGINT NOT NULL DEFAULT 0
)

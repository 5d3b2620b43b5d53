-- One row: what every reader looks at first. `generation` is bumped by every committing
-- transaction, `packing` whenever packed rows are made anew.
CREATE TABLE state(
  only INTEGER PRIMARY KEY CHECK (only = 1),
  generation INTEGER NOT NULL,
  packing INTEGER NOT NULL
)

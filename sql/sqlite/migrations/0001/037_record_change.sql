-- Derived. Records older than the newest whose columns changed, so that resident columns can follow.
CREATE TABLE record_change(
  generation INTEGER NOT NULL,
  record_id INTEGER NOT NULL,
  PRIMARY KEY (generation, record_id)
) WITHOUT ROWID

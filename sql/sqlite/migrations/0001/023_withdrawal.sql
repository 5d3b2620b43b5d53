-- Canonical. From `at` on the item is withdrawn, until a revision available later.
CREATE TABLE withdrawal(
  item_no INTEGER NOT NULL REFERENCES item(item_no),
  at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (item_no, at)
) WITHOUT ROWID

-- Canonical. From `at` on the item is withdrawn, until a revision available later.
CREATE TABLE withdrawal(
  item_no BIGINT NOT NULL REFERENCES item(item_no),
  at BIGINT NOT NULL,
  recorded_at BIGINT NOT NULL,
  PRIMARY KEY (item_no, at)
)

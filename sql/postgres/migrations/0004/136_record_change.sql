-- Derived. Records older than the newest whose columns changed, so that resident columns can follow.
CREATE TABLE record_change(
  generation BIGINT NOT NULL,
  record_id BIGINT NOT NULL,
  PRIMARY KEY (generation, record_id)
)

-- Derived. Exactly what is ranked, kept apart from the filter columns so that a filter reads few pages.
CREATE TABLE record_text(
  record_id BIGINT PRIMARY KEY,
  title TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL
)

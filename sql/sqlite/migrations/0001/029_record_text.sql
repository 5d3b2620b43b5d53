-- Derived. Exactly what is ranked, kept apart from the filter columns so that a filter reads few pages.
CREATE TABLE record_text(
  record_id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  body TEXT NOT NULL
)

-- Canonical. Every edit of what the library holds about the past, for the audit.
-- `affected_from` is the first instant whose answers may have changed; NULL when only "now" did.
CREATE TABLE journal(
  entry_no INTEGER PRIMARY KEY AUTOINCREMENT,
  recorded_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT,
  affected_from INTEGER,
  detail TEXT NOT NULL
)

-- A job came to its end: what it made.
UPDATE run SET finished_at = :finished_at, settings_digest = :settings_digest, settings = :settings, space = :space,
  fingerprint = :fingerprint, items = :items, records = :records, pending = :pending, embedded = :embedded
WHERE run_no = :run_no

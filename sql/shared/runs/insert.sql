-- A new run; gives its number.
INSERT INTO run(kind, target, started_at, finished_at, gold_digest, gold_name, k, mode, queries, negatives, protocol,
  settings_digest, settings, space, versions, fingerprint, items, records, pending, embedded, tolerance, promote, reasons,
  obstacles, note, promoted_at, outcomes)
VALUES (:kind, :target, :started_at, :finished_at, :gold_digest, :gold_name, :k, :mode, :queries, :negatives, :protocol,
  :settings_digest, :settings, :space, :versions, :fingerprint, :items, :records, :pending, :embedded, :tolerance, :promote,
  :reasons, :obstacles, :note, :promoted_at, :outcomes)
RETURNING run_no

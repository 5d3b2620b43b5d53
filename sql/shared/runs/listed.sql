-- Runs, the newest first: of one kind and target when they are given, promoted ones alone when :promoted is 1.
SELECT run_no, kind, target, started_at, finished_at, gold_digest, gold_name, k, mode, queries, negatives, protocol,
  settings_digest, settings, space, versions, fingerprint, items, records, pending, embedded, tolerance, promote, reasons,
  obstacles, note, promoted_at
FROM run
WHERE (CAST(:kind AS TEXT) IS NULL OR kind = :kind) AND (CAST(:target AS TEXT) IS NULL OR target = :target)
  AND (CAST(:run_no AS BIGINT) IS NULL OR run_no = :run_no) AND (:promoted = 0 OR promoted_at IS NOT NULL)
ORDER BY CASE WHEN :promoted = 1 THEN promoted_at ELSE 0 END DESC, run_no DESC LIMIT :limit

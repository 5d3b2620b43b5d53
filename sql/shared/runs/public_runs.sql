-- For the public export: numbers, instants and words of closed lists alone. A column is added here only after asking what
-- it could tell of a text, a query, a path or a name.
-- Runs of one series, which is named by the number of its first, were measured alike and may be compared.
SELECT run_no, kind, target, started_at, finished_at, k, mode, queries, negatives, items, records, pending, embedded, promote,
  promoted_at,
  CASE WHEN gold_digest IS NOT NULL THEN min(run_no) OVER (PARTITION BY gold_digest, k, mode, protocol) END
FROM run ORDER BY run_no

-- For the public export: numbers, instants and words of closed lists alone. A column is added here only after asking what
-- it could tell of a text, a query, a path or a name.
SELECT run_no, kind, target, started_at, finished_at, k, mode, queries, negatives, items, records, pending, embedded, promote,
  promoted_at
FROM run ORDER BY run_no

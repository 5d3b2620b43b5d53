-- The scan goes on, in order, until it has found as many as are asked for or visited :most. The planner takes vectors
-- that are kept out of line for cheap to read one by one: it is left no other way than the index, and told each limit.
SELECT set_config('hnsw.ef_search', CAST(CAST(:ef_search AS BIGINT) AS TEXT), true),
  set_config('hnsw.max_scan_tuples', CAST(CAST(:most AS BIGINT) AS TEXT), true),
  set_config('hnsw.iterative_scan', 'strict_order', true),
  set_config('plan_cache_mode', 'force_custom_plan', true),
  set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)

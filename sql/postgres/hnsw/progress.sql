-- How far the build of a backend is: rows done, rows in all (0 while it is not known).
SELECT tuples_done, tuples_total FROM pg_catalog.pg_stat_progress_create_index WHERE pid = :pid

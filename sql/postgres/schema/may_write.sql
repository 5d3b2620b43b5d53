-- Whether this role may write to the library, as a writer does, and the server takes writes.
SELECT has_table_privilege('revision', 'INSERT, UPDATE, DELETE') AND NOT pg_is_in_recovery()

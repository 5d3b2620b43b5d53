-- Whether this role may write to the library, as a writer does; and whether the server and this session take writes.
SELECT has_table_privilege('revision', 'INSERT, UPDATE, DELETE'),
  NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off'

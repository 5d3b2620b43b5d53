-- A build takes as long as it takes, and waits for older transactions.
SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)

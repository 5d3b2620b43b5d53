-- Wait until no other client writes to the library; held to the end of the transaction.
SELECT pg_advisory_xact_lock(CAST(:library AS INTEGER), hashtext(:schema))

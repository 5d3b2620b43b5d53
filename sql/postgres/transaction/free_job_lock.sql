-- Give the lock of a job back.
SELECT pg_advisory_unlock(CAST(:library AS INTEGER), hashtext(:job))

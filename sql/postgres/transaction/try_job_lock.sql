-- Take the lock of a job unless another client holds it; held until the connection closes.
SELECT pg_try_advisory_lock(CAST(:library AS INTEGER), hashtext(:job))

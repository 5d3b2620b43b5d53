-- Names this connection to the others.
SELECT pg_backend_pid()

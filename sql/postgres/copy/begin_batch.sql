-- A batch does not wait for the disk: what a crash of the server takes, it takes with the note of it. The last commit
-- of a copy waits, and with it everything before.
SET LOCAL synchronous_commit = off

-- Never asked: FTS5 keeps every word of every record, and is compared as a whole.
SELECT NULL

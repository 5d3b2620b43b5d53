-- How the FTS5 table was declared.
SELECT sql FROM sqlite_schema WHERE name = 'record_words'

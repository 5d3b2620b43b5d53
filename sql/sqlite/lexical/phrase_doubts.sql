-- FTS5 keeps every place of every word, so that no record need be read to tell whether it holds a phrase.
SELECT NULL

-- FTS5 compares its structures with themselves; raises when they are damaged.
INSERT INTO record_words(record_words) VALUES ('integrity-check')

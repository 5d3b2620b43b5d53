-- FTS5's own vocabulary, for comparison.
CREATE VIRTUAL TABLE IF NOT EXISTS temp.words_held USING fts5vocab(main, record_words, row)

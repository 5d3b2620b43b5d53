-- As the migrations make it.
CREATE INDEX IF NOT EXISTS record_words_by_word ON record_words USING gin (title, body)

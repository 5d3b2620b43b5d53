CREATE INDEX record_words_by_word ON record_words USING gin (title, body)

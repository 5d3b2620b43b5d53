CREATE INDEX record_words_in_part ON record_words(record_id) WHERE NOT whole

DROP TABLE IF EXISTS record_words

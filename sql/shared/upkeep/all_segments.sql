SELECT segment_no, first_record, last_record, visible_from, visible_until, title_words, body_words, digest
FROM segment ORDER BY segment_no

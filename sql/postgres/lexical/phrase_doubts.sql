-- Records of whose words a tsvector could not keep every place: whether they hold a phrase, their text has to tell.
SELECT string_agg(CAST(record_id AS TEXT), ',') FROM record_words WHERE NOT whole

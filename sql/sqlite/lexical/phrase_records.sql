-- :match is an FTS5 phrase of quoted words; gives the ids of the records that hold it, comma-separated.
SELECT group_concat(rowid) FROM record_words WHERE record_words MATCH :match

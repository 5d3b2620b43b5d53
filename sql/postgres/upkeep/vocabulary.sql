-- Each word of the index with the records that hold it and how often; only records that a tsvector holds whole.
SELECT word, CAST(sum(ndoc) AS BIGINT), CAST(sum(nentry) AS BIGINT) FROM (
  SELECT word, ndoc, nentry FROM ts_stat('SELECT title FROM record_words WHERE whole')
  UNION ALL
  SELECT word, ndoc, nentry FROM ts_stat('SELECT body FROM record_words WHERE whole')
) AS held
GROUP BY word

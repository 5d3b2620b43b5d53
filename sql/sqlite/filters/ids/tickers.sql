-- Records about one of the tickers.
SELECT f.record_id FROM record_facet AS f
WHERE f.facet = 'ticker' AND f.value IN (SELECT value FROM json_each(:tickers))

-- Records about one of the tickers.
SELECT f.record_id FROM record_facet AS f
WHERE f.facet = 'ticker' AND f.value = ANY (texts(:tickers))

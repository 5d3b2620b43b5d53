EXISTS (SELECT 1 FROM json_each(:tickers) AS t CROSS JOIN record_facet AS f
        WHERE f.facet = 'ticker' AND f.value = t.value AND f.record_id = r.record_id)

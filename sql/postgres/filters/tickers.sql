EXISTS (SELECT 1 FROM unnest(texts(:tickers)) AS t(value) CROSS JOIN record_facet AS f
        WHERE f.facet = 'ticker' AND f.value = t.value AND f.record_id = r.record_id)

EXISTS (SELECT 1 FROM unnest(texts(:collections)) AS c(value) CROSS JOIN record_facet AS f
        WHERE f.facet = 'collection' AND f.value = c.value AND f.record_id = r.record_id)

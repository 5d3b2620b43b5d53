EXISTS (SELECT 1 FROM json_each(:collections) AS c CROSS JOIN record_facet AS f
        WHERE f.facet = 'collection' AND f.value = c.value AND f.record_id = r.record_id)

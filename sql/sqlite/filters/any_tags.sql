EXISTS (SELECT 1 FROM json_each(:any_tags) AS t CROSS JOIN record_facet AS f
        WHERE f.facet = 'tag' AND f.value = t.value AND f.record_id = r.record_id)

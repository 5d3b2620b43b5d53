NOT EXISTS (SELECT 1 FROM unnest(texts(:exclude_tags)) AS t(value) CROSS JOIN record_facet AS f
        WHERE f.facet = 'tag' AND f.value = t.value AND f.record_id = r.record_id)

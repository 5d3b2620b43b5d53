EXISTS (SELECT 1 FROM unnest(texts(:periods)) AS t(value) CROSS JOIN record_facet AS f
        WHERE f.facet = 'period' AND f.value = t.value AND f.record_id = r.record_id)

SELECT f.facet, f.value, f.record_id FROM unnest(ids(:ids)) AS i(value) JOIN record_facet AS f ON f.record_id = i.value
ORDER BY f.record_id, f.facet, f.value

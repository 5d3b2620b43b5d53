SELECT DISTINCT 'record ' || f.record_id, 'a ' || f.facet || ' belongs to no record' FROM record_facet AS f
WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.record_id = f.record_id)

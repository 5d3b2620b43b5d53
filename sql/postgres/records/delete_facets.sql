-- CROSS JOIN order: the index by record finds the rows of each id.
DELETE FROM record_facet WHERE (facet, value, record_id) IN (
  SELECT f.facet, f.value, f.record_id
  FROM unnest(ids(:ids)) AS i(value) JOIN record_facet AS f ON f.record_id = i.value)

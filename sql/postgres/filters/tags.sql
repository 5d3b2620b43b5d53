-- Has each of the tags.
NOT EXISTS (SELECT 1 FROM unnest(texts(:tags)) AS t(value) WHERE NOT EXISTS (
  SELECT 1 FROM record_facet AS f WHERE f.facet = 'tag' AND f.value = t.value AND f.record_id = r.record_id))

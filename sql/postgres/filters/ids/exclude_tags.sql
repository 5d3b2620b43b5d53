-- Records that have one of the tags and are therefore left out.
SELECT f.record_id FROM record_facet AS f
WHERE f.facet = 'tag' AND f.value = ANY (texts(:exclude_tags))

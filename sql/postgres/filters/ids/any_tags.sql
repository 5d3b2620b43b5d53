-- Records that have at least one of the tags.
SELECT f.record_id FROM record_facet AS f
WHERE f.facet = 'tag' AND f.value = ANY (texts(:any_tags))

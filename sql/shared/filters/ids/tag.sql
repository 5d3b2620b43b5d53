-- Records that have the tag.
SELECT f.record_id FROM record_facet AS f WHERE f.facet = 'tag' AND f.value = :tag

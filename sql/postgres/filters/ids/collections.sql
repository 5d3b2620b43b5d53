-- Records of documents of one of the collections.
SELECT f.record_id FROM record_facet AS f
WHERE f.facet = 'collection' AND f.value = ANY (texts(:collections))

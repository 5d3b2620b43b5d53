-- Records that have one of the tags and are therefore left out.
SELECT f.record_id FROM record_facet AS f
WHERE f.facet = 'tag' AND f.value IN (SELECT value FROM json_each(:exclude_tags))

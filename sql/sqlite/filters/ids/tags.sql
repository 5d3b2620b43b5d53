-- Records that have each of the tags.
SELECT f.record_id FROM record_facet AS f
WHERE f.facet = 'tag' AND f.value IN (SELECT value FROM json_each(:tags))
GROUP BY f.record_id HAVING count(*) = json_array_length(:tags)

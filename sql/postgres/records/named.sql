-- Records whose title has the key :title_key, or that bear an identifier of the JSON array :identifiers.
SELECT record_id FROM record WHERE title_key = :title_key
UNION ALL
SELECT record_id FROM record_facet WHERE facet = 'identifier' AND value = ANY (texts(:identifiers))

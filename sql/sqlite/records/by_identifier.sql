SELECT record_id FROM record_facet WHERE facet = 'identifier' AND value IN (SELECT value FROM json_each(:keys))

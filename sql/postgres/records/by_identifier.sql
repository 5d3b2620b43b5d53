SELECT record_id FROM record_facet WHERE facet = 'identifier' AND value = ANY (texts(:keys))

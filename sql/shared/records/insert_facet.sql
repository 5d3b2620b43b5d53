INSERT INTO record_facet(facet, value, record_id) VALUES (?, ?, ?)

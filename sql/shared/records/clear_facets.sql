DELETE FROM record_facet

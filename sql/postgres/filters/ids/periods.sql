-- Records about one of the periods.
SELECT f.record_id FROM record_facet AS f
WHERE f.facet = 'period' AND f.value = ANY (texts(:periods))

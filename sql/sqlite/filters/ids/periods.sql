-- Records about one of the periods.
SELECT f.record_id FROM record_facet AS f
WHERE f.facet = 'period' AND f.value IN (SELECT value FROM json_each(:periods))

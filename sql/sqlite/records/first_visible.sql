-- The earliest instant at which one of the :ids is visible.
SELECT min(r.visible_from) FROM json_each(:ids) AS i CROSS JOIN record AS r ON r.record_id = i.value

-- The earliest instant at which one of the :ids is visible.
SELECT min(r.visible_from) FROM unnest(ids(:ids)) AS i(value) JOIN record AS r ON r.record_id = i.value

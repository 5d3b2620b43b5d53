SELECT r.record_id FROM json_each(:ids) AS i CROSS JOIN record AS r ON r.revision_no = i.value ORDER BY r.record_id

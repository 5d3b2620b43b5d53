-- record id, title, body.
SELECT r.record_id, r.title, r.body FROM json_each(:ids) AS i CROSS JOIN record AS r ON r.record_id = i.value

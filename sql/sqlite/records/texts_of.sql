-- record id, title, body.
SELECT t.record_id, t.title, t.body FROM json_each(:ids) AS i CROSS JOIN record_text AS t ON t.record_id = i.value

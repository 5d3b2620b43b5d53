-- What records show: title, body, text hash.
SELECT t.title, t.body, r.text_hash
FROM json_each(:ids) AS i CROSS JOIN record AS r ON r.record_id = i.value CROSS JOIN record_text AS t USING (record_id)

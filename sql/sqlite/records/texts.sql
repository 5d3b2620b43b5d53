-- What purged records showed: title, body, text hash.
SELECT r.title, r.body, r.text_hash FROM json_each(:ids) AS i CROSS JOIN record AS r ON r.record_id = i.value

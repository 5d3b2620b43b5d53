-- What records show: title, body, text hash.
SELECT t.title, t.body, r.text_hash
FROM unnest(ids(:ids)) AS i(value) JOIN record AS r ON r.record_id = i.value JOIN record_text AS t USING (record_id)

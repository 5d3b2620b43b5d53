-- record id, title, body.
SELECT t.record_id, t.title, t.body FROM unnest(ids(:ids)) AS i(value) JOIN record_text AS t ON t.record_id = i.value

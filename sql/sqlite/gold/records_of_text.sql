-- The records that show one of the texts :hashes (JSON, hexadecimal): text, record, address.
SELECT r.text_hash, r.record_id, r.locator FROM json_each(:hashes) AS h
CROSS JOIN record AS r ON r.text_hash = unhex(h.value) ORDER BY r.locator

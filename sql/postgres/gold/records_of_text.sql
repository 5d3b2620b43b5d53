-- The records that show one of the texts :hashes (JSON, hexadecimal): text, record, address.
SELECT r.text_hash, r.record_id, r.locator FROM unnest(hashes(:hashes)) AS h(value)
JOIN record AS r ON r.text_hash = h.value ORDER BY r.locator

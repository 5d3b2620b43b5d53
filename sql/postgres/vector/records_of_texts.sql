-- :hashes is a JSON array of hexadecimal text hashes; gives the ids of the records that show them.
SELECT r.record_id FROM unnest(hashes(:hashes)) AS h(value) JOIN record AS r ON r.text_hash = h.value

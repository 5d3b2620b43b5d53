-- :hashes is a JSON array of hexadecimal text hashes; gives the ids of the records that show them.
SELECT r.record_id FROM json_each(:hashes) AS h CROSS JOIN record AS r ON r.text_hash = unhex(h.value)

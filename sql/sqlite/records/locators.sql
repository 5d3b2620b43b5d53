-- record id, locator.
SELECT r.record_id, r.locator FROM json_each(:ids) AS i CROSS JOIN record AS r ON r.record_id = i.value

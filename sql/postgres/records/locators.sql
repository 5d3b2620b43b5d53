-- record id, locator.
SELECT r.record_id, r.locator FROM unnest(ids(:ids)) AS i(value) JOIN record AS r ON r.record_id = i.value

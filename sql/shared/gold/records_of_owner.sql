-- Every record of an owner that is no item, such as an artifact. Reads the whole table.
SELECT r.record_id, r.locator, r.text_hash FROM record AS r
WHERE r.locator = :owner OR substr(r.locator, 1, length(:owner) + 1) = :owner || '#'

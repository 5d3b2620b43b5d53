-- All revisions of the items, oldest availability first: item id, revision, available_at, as_of, hash, recorded_at.
SELECT i.item_id, r.revision_no, r.available_at, r.as_of, r.content_hash, r.recorded_at
FROM unnest(texts(:item_ids)) AS w(value) JOIN item AS i ON i.item_id = w.value
JOIN revision AS r ON r.item_no = i.item_no
ORDER BY r.item_no, r.available_at NULLS FIRST

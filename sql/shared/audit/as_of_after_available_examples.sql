-- Revisions that represent knowledge later than they were observable, at most :limit:
-- item id, item type, source kind, available_at, as_of, recorded_at.
SELECT i.item_id, i.item_type, v.source ->> 'kind', v.available_at, v.as_of, v.recorded_at
FROM revision AS v JOIN item AS i ON i.item_no = v.item_no
WHERE v.as_of > v.available_at
ORDER BY v.as_of - v.available_at DESC, i.item_id LIMIT :limit

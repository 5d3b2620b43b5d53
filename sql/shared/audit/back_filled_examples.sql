-- Revisions recorded from :since on, more than :grace microseconds after their availability, at most :limit:
-- item id, item type, source kind, available_at, as_of, recorded_at.
SELECT i.item_id, i.item_type, v.source ->> 'kind', v.available_at, v.as_of, v.recorded_at
FROM revision AS v JOIN item AS i ON i.item_no = v.item_no
WHERE v.recorded_at - v.available_at > :grace AND (CAST(:since AS BIGINT) IS NULL OR v.recorded_at >= :since)
ORDER BY v.recorded_at DESC, v.available_at, i.item_id LIMIT :limit

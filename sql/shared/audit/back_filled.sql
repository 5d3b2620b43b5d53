-- Revisions recorded from :since on, more than :grace microseconds after their availability:
-- item type, source kind, how many.
SELECT i.item_type, v.source ->> 'kind', count(*)
FROM revision AS v JOIN item AS i ON i.item_no = v.item_no
WHERE v.recorded_at - v.available_at > :grace AND (CAST(:since AS BIGINT) IS NULL OR v.recorded_at >= :since)
GROUP BY 1, 2 ORDER BY 1, 2

-- Revisions that represent knowledge later than they were observable: item type, source kind, how many.
SELECT i.item_type, v.source ->> 'kind', count(*)
FROM revision AS v JOIN item AS i ON i.item_no = v.item_no
WHERE v.as_of > v.available_at
GROUP BY 1, 2 ORDER BY 1, 2

-- Revisions of unknown availability: item type, source kind, how many.
SELECT i.item_type, v.source ->> 'kind', count(*)
FROM revision AS v JOIN item AS i ON i.item_no = v.item_no
WHERE v.available_at IS NULL
GROUP BY 1, 2 ORDER BY 1, 2

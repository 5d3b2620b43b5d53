-- Texts of records of the items :ids (JSON) without a vector in the space :space_no (NULL: in none): text hash, locator,
-- title, body.
SELECT r.text_hash, min(r.locator), t.title, t.body
FROM json_each(:ids) AS n CROSS JOIN item AS i ON i.item_id = n.value CROSS JOIN revision AS v ON v.item_no = i.item_no
CROSS JOIN record AS r ON r.revision_no = v.revision_no CROSS JOIN record_text AS t ON t.record_id = r.record_id
WHERE NOT EXISTS (SELECT 1 FROM embedding AS e WHERE e.space_no = :space_no AND e.text_hash = r.text_hash)
GROUP BY r.text_hash ORDER BY 2

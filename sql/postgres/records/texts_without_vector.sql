-- Texts of records of the items :ids (JSON) without a vector in the space :space_no (NULL: in none): text hash, locator,
-- title, body.
SELECT DISTINCT ON (r.text_hash) r.text_hash, r.locator, t.title, t.body
FROM unnest(texts(:ids)) AS n(value) JOIN item AS i ON i.item_id = n.value JOIN revision AS v ON v.item_no = i.item_no
JOIN record AS r ON r.revision_no = v.revision_no JOIN record_text AS t ON t.record_id = r.record_id
WHERE NOT EXISTS (SELECT 1 FROM embedding AS e WHERE e.space_no = :space_no AND e.text_hash = r.text_hash)
ORDER BY r.text_hash, r.locator

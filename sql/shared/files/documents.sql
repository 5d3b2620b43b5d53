-- Items of a type, with the payload of their newest revision and whether searches see it now.
SELECT i.item_id, v.content_hash, v.payload,
  EXISTS (SELECT 1 FROM record AS r WHERE r.revision_no = v.revision_no AND r.visible_until IS NULL)
FROM item AS i JOIN revision AS v ON v.item_no = i.item_no
WHERE i.item_type = :item_type AND NOT EXISTS (
  SELECT 1 FROM revision AS o WHERE o.item_no = v.item_no AND o.available_at > v.available_at
)
ORDER BY i.item_no

-- Either one revision of unknown availability, or any number of known ones.
SELECT i.item_id, 'the item has a revision of unknown availability beside others' FROM item AS i
WHERE EXISTS (SELECT 1 FROM revision AS r WHERE r.item_no = i.item_no AND r.available_at IS NULL)
  AND (SELECT count(*) FROM revision AS r WHERE r.item_no = i.item_no) > 1

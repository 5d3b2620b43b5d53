-- subject, what is wrong.
SELECT i.item_id, 'the item has no revision' FROM item AS i
WHERE NOT EXISTS (SELECT 1 FROM revision AS r WHERE r.item_no = i.item_no)

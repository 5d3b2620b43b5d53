SELECT i.item_id, d.at
FROM unnest(texts(:item_ids)) AS w(value) JOIN item AS i ON i.item_id = w.value
JOIN withdrawal AS d ON d.item_no = i.item_no
ORDER BY i.item_no, d.at

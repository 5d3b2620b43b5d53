SELECT i.item_id, d.at
FROM json_each(:item_ids) AS w CROSS JOIN item AS i ON i.item_id = w.value
CROSS JOIN withdrawal AS d ON d.item_no = i.item_no
ORDER BY i.item_no, d.at

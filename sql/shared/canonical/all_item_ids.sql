SELECT item_id FROM item WHERE item_id > :after ORDER BY item_id LIMIT :limit

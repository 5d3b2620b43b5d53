SELECT item_id FROM item WHERE item_type = 'paper_source' ORDER BY item_id

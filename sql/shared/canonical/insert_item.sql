INSERT INTO item(item_no, item_id, item_type) VALUES (?, ?, ?)

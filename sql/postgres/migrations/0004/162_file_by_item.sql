CREATE INDEX file_by_item ON file(item_id)

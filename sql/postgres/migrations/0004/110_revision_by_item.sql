CREATE UNIQUE INDEX revision_by_item ON revision(item_no, available_at)

r.item_type IN (SELECT value FROM json_each(:item_types))

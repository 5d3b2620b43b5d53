r.item_type = ANY (texts(:item_types))

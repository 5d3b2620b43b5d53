-- :item_ids is a JSON array; gives item number, id, type of those that exist.
SELECT i.item_no, i.item_id, i.item_type
FROM unnest(texts(:item_ids)) AS w(value) JOIN item AS i ON i.item_id = w.value

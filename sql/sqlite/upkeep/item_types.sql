-- Current records by item type.
SELECT item_type, count(*) FROM record WHERE visible_until IS NULL GROUP BY item_type ORDER BY item_type

-- Current records by item type.
SELECT item_type, count(*) FROM record WHERE visible_until IS NULL AND current = 1 GROUP BY item_type ORDER BY item_type

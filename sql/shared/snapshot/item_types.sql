-- Records visible at :cutoff by item type.
SELECT r.item_type, count(*) FROM record AS r
WHERE r.current = 1 AND r.visible_from <= :cutoff AND (r.visible_until IS NULL OR r.visible_until > :cutoff)
GROUP BY r.item_type ORDER BY r.item_type

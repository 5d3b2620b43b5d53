SELECT s.item_id, 'none of its artifacts of kind ' || a.kind || ' is current' FROM artifact AS a
JOIN item AS s ON s.item_no = a.source_no
GROUP BY a.source_no, a.kind, s.item_id HAVING sum(a.current) = 0

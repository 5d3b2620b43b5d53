-- Those of the items :ids (JSON) that are artifacts, and the papers that they were made of.
SELECT i.item_id, s.item_id FROM json_each(:ids) AS n CROSS JOIN item AS i ON i.item_id = n.value
CROSS JOIN artifact AS a ON a.item_no = i.item_no CROSS JOIN item AS s ON s.item_no = a.source_no

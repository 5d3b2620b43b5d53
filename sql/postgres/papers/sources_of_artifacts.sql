-- Those of the items :ids (JSON) that are artifacts, and the papers that they were made of.
SELECT i.item_id, s.item_id FROM unnest(texts(:ids)) AS n(value) JOIN item AS i ON i.item_id = n.value
JOIN artifact AS a ON a.item_no = i.item_no JOIN item AS s ON s.item_no = a.source_no

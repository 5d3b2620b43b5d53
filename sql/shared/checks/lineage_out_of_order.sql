SELECT i.item_id, 'what it was made from is not counted from 0' FROM artifact_lineage AS l JOIN item AS i USING (item_no)
GROUP BY l.item_no, i.item_id HAVING min(l.position) <> 0 OR max(l.position) <> count(*) - 1

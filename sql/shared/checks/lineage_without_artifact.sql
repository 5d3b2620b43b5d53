SELECT 'item number ' || l.item_no, 'lineage belongs to no artifact' FROM artifact_lineage AS l
WHERE NOT EXISTS (SELECT 1 FROM artifact AS a WHERE a.item_no = l.item_no)

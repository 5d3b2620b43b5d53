SELECT i.item_id, 'revision ' || v.revision_no || ' has no record' FROM revision AS v JOIN item AS i USING (item_no)
WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.revision_no = v.revision_no)

-- A paper has no record, nor has what was made of one when it says nothing.
SELECT i.item_id, 'revision ' || v.revision_no || ' has no record' FROM revision AS v JOIN item AS i USING (item_no)
WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.revision_no = v.revision_no) AND i.item_type <> 'paper_source'
  AND NOT EXISTS (SELECT 1 FROM artifact AS a WHERE a.item_no = i.item_no AND a.members = 0)

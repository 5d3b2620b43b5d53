SELECT 'revision ' || p.revision_no, 'a listed paper has no such revision' FROM paper_revision AS p
WHERE NOT EXISTS (SELECT 1 FROM revision AS v JOIN item AS i USING (item_no)
  WHERE v.revision_no = p.revision_no AND i.item_type = 'paper_source')

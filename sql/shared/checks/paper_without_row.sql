SELECT i.item_id, 'revision ' || v.revision_no || ' of the paper is not listed' FROM item AS i JOIN revision AS v USING (item_no)
WHERE i.item_type = 'paper_source' AND NOT EXISTS (SELECT 1 FROM paper_revision AS p WHERE p.revision_no = v.revision_no)

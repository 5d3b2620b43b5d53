SELECT 'revision ' || r.revision_no, 'the revision belongs to no item' FROM revision AS r
WHERE NOT EXISTS (SELECT 1 FROM item AS i WHERE i.item_no = r.item_no)

-- Rows of artifacts whose item is not there.
DELETE FROM artifact WHERE NOT EXISTS (SELECT 1 FROM item AS i WHERE i.item_no = artifact.item_no)

-- Rows of artifacts whose item is not there, or is none.
DELETE FROM artifact WHERE NOT EXISTS (SELECT 1 FROM item AS i
  WHERE i.item_no = artifact.item_no AND i.item_type IN ('paper_chunk_set', 'paper_summary', 'paper_tree'))

SELECT i.item_id, 'nothing is kept of whose artifact it is' FROM item AS i
WHERE i.item_type IN ('paper_chunk_set', 'paper_summary', 'paper_tree')
  AND NOT EXISTS (SELECT 1 FROM artifact AS a WHERE a.item_no = i.item_no)

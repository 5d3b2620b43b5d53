-- The newest revision of everything that was made of papers, after item number :after: item number, id, availability,
-- payload.
SELECT i.item_no, i.item_id, v.available_at, v.payload FROM item AS i
JOIN revision AS v ON v.revision_no = (
  SELECT n.revision_no FROM revision AS n WHERE n.item_no = i.item_no ORDER BY n.available_at DESC NULLS LAST LIMIT 1)
WHERE i.item_no > :after AND i.item_type IN ('paper_chunk_set', 'paper_summary', 'paper_tree')
ORDER BY i.item_no LIMIT :limit

SELECT coalesce(i.item_id, 'item number ' || a.item_no), 'the artifact, or the paper that it was made of, is not there'
FROM artifact AS a LEFT JOIN item AS i ON i.item_no = a.item_no
WHERE i.item_no IS NULL OR i.item_type <> a.kind
  OR NOT EXISTS (SELECT 1 FROM item AS s WHERE s.item_no = a.source_no AND s.item_type = 'paper_source')

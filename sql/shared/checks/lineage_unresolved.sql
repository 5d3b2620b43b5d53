-- An ancestor that was purged has left a tombstone.
SELECT i.item_id, 'it was made from ' || l.ancestor_id || ', which is not there and was not purged' FROM artifact_lineage AS l
JOIN item AS i ON i.item_no = l.item_no
WHERE NOT EXISTS (SELECT 1 FROM item AS o WHERE o.item_id = l.ancestor_id)
  AND NOT EXISTS (SELECT 1 FROM tombstone AS t WHERE t.item_id = l.ancestor_id)

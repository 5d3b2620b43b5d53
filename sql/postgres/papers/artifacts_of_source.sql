-- Artifacts of the paper :source_id in the order in which they were stored: item number, id, paper's item number, paper's
-- id, kind, configuration, input, records, current, lineage as JSON.
SELECT a.item_no, i.item_id, a.source_no, s.item_id, a.kind, a.config_hash, a.input_hash, a.members, a.current,
  (SELECT coalesce(json_agg(l.ancestor_id ORDER BY l.position), '[]') FROM artifact_lineage AS l WHERE l.item_no = a.item_no)
FROM item AS s JOIN artifact AS a ON a.source_no = s.item_no JOIN item AS i ON i.item_no = a.item_no
WHERE s.item_id = :source_id ORDER BY a.item_no

-- Artifacts of the paper :source_id in the order in which they were stored: item number, id, paper's item number, paper's
-- id, kind, configuration, input, records, current, lineage as JSON.
SELECT a.item_no, i.item_id, a.source_no, s.item_id, a.kind, a.config_hash, a.input_hash, a.members, a.current,
  (SELECT json_group_array(CAST(l.ancestor_id AS TEXT)) FROM
    (SELECT ancestor_id FROM artifact_lineage WHERE item_no = a.item_no ORDER BY position) AS l)
FROM item AS s CROSS JOIN artifact AS a ON a.source_no = s.item_no CROSS JOIN item AS i ON i.item_no = a.item_no
WHERE s.item_id = :source_id ORDER BY a.item_no

-- Those of the items :ids (JSON) that are artifacts; columns as in papers/artifacts_of_source.
SELECT a.item_no, i.item_id, a.source_no, s.item_id, a.kind, a.config_hash, a.input_hash, a.members, a.current,
  (SELECT json_group_array(CAST(l.ancestor_id AS TEXT)) FROM
    (SELECT ancestor_id FROM artifact_lineage WHERE item_no = a.item_no ORDER BY position) AS l)
FROM json_each(:ids) AS n CROSS JOIN item AS i ON i.item_id = n.value
CROSS JOIN artifact AS a ON a.item_no = i.item_no CROSS JOIN item AS s ON s.item_no = a.source_no
ORDER BY a.item_no

-- Those of the items :ids (JSON) that are artifacts; columns as in papers/artifacts_of_source.
SELECT a.item_no, i.item_id, a.source_no, s.item_id, a.kind, a.config_hash, a.input_hash, a.members, a.current,
  (SELECT coalesce(json_agg(l.ancestor_id ORDER BY l.position), '[]') FROM artifact_lineage AS l WHERE l.item_no = a.item_no)
FROM unnest(texts(:ids)) AS n(value) JOIN item AS i ON i.item_id = n.value
JOIN artifact AS a ON a.item_no = i.item_no JOIN item AS s ON s.item_no = a.source_no
ORDER BY a.item_no

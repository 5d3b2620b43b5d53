-- Items with a record that passes the conditions, by path, then id; what was made of a paper counts as one item, the paper:
-- owner kind, id, type, title, path, source, earliest times, records, tags as JSON, and how many items there are in all.
WITH owned AS (
  SELECT 'item' AS owner_kind, v.item_no AS owner_no, r.revision_no, i.item_id, min(r.item_type) AS item_type, v.source,
    min(r.record_id) AS record_id, min(r.path) AS path, min(r.as_of) AS as_of, min(r.available_at) AS available_at,
    count(*) AS records
  FROM record AS r JOIN revision AS v ON v.revision_no = r.revision_no JOIN item AS i ON i.item_no = v.item_no
  WHERE {conditions} AND r.artifact_kind IS NULL
  GROUP BY r.revision_no
  UNION ALL
  SELECT 'source', a.source_no, NULL, s.item_id, s.item_type, min(v.source), min(r.record_id), min(r.path), min(r.as_of),
    min(r.available_at), count(*)
  FROM artifact AS a CROSS JOIN item AS s ON s.item_no = a.source_no CROSS JOIN revision AS v ON v.item_no = a.item_no
  CROSS JOIN record AS r ON r.revision_no = v.revision_no
  WHERE {conditions}
  GROUP BY a.source_no
),
page AS (
  SELECT *, count(*) OVER () AS total FROM owned ORDER BY path IS NULL, path, item_id LIMIT :limit OFFSET :offset
)
SELECT p.owner_kind, p.item_id, p.item_type,
  CASE p.owner_kind WHEN 'item' THEN
    (SELECT t.title FROM record AS o JOIN record_text AS t ON t.record_id = o.record_id
      WHERE o.revision_no = p.revision_no AND o.member_id IS NULL)
  ELSE
    (SELECT n.title FROM revision AS w JOIN paper_revision AS n ON n.revision_no = w.revision_no
      WHERE w.item_no = p.owner_no AND w.available_at IS NOT DISTINCT FROM p.available_at)
  END,
  p.path, p.source, p.as_of, p.available_at, p.records,
  (SELECT json_group_array(f.value) FROM record_facet AS f WHERE f.record_id = p.record_id AND f.facet = 'tag'),
  p.total
FROM page AS p ORDER BY p.path IS NULL, p.path, p.item_id

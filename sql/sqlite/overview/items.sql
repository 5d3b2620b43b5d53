-- Items with a record that passes the conditions, by path, then id: id, type, title, path, source, earliest times,
-- records, tags as JSON, and how many items there are in all.
WITH page AS (
  SELECT r.revision_no, i.item_id, min(r.item_type) AS item_type, v.source, min(r.record_id) AS record_id, min(r.path) AS path,
    min(r.as_of) AS as_of, min(r.available_at) AS available_at, count(*) AS records, count(*) OVER () AS total
  FROM record AS r JOIN revision AS v ON v.revision_no = r.revision_no JOIN item AS i ON i.item_no = v.item_no
  WHERE {conditions}
  GROUP BY r.revision_no
  ORDER BY min(r.path) IS NULL, min(r.path), i.item_id
  LIMIT :limit OFFSET :offset
)
SELECT p.item_id, p.item_type,
  (SELECT t.title FROM record AS o JOIN record_text AS t ON t.record_id = o.record_id
    WHERE o.revision_no = p.revision_no AND o.member_id IS NULL),
  p.path, p.source, p.as_of, p.available_at, p.records,
  (SELECT json_group_array(f.value) FROM record_facet AS f WHERE f.record_id = p.record_id AND f.facet = 'tag'),
  p.total
FROM page AS p ORDER BY p.path IS NULL, p.path, p.item_id

-- What stands now, an item a row, of the types in the JSON array :item_types (NULL is all types), by path, then id:
-- item id, item type, path, source class, content hash, hash of the source, available_at, as_of, when recorded,
-- records, records whose text has no vector in the space :space_no.
WITH held AS (
  SELECT v.revision_no, i.item_id, i.item_type, min(r.path) AS path, min(r.source_class) AS source_class,
    count(*) AS records,
    count(*) FILTER (WHERE NOT EXISTS (
      SELECT 1 FROM embedding AS e WHERE e.space_no = :space_no AND e.text_hash = r.text_hash)) AS without_vector
  FROM item AS i JOIN revision AS v ON v.item_no = i.item_no JOIN record AS r ON r.revision_no = v.revision_no
  WHERE r.visible_until IS NULL AND r.current = 1
    AND (CAST(:item_types AS TEXT) IS NULL OR i.item_type = ANY (texts(:item_types)))
  GROUP BY v.revision_no, i.item_id, i.item_type
)
SELECT h.item_id, h.item_type, h.path, h.source_class, v.content_hash, v.source ->> 'content_hash',
  v.available_at, v.as_of, v.recorded_at, h.records, h.without_vector
FROM held AS h JOIN revision AS v ON v.revision_no = h.revision_no
ORDER BY h.path NULLS FIRST, h.item_id

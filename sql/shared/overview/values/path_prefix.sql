-- Folders of the records that pass the conditions (the path without its last segment; empty at the root), the most
-- frequent first: value, records, items, earliest and latest as_of and available_at, and how many values there are in
-- all.
SELECT rtrim(rtrim(r.path, replace(r.path, '/', '')), '/') AS value, count(*),
  count(DISTINCT CASE WHEN r.artifact_kind IS NULL THEN r.revision_no ELSE
    (SELECT -a.source_no FROM revision AS v JOIN artifact AS a ON a.item_no = v.item_no WHERE v.revision_no = r.revision_no) END),
  min(r.as_of), max(r.as_of), min(r.available_at), max(r.available_at), count(*) OVER ()
FROM record AS r WHERE {conditions} AND r.path IS NOT NULL
GROUP BY value ORDER BY count(*) DESC, value LIMIT :limit OFFSET :offset

-- Item types of the records that pass the conditions, the most frequent first: value, records, items, earliest and latest
-- as_of and available_at, and how many values there are in all.
SELECT r.item_type AS value, count(*),
  count(DISTINCT CASE WHEN r.artifact_kind IS NULL THEN r.revision_no ELSE
    (SELECT -a.source_no FROM revision AS v JOIN artifact AS a ON a.item_no = v.item_no WHERE v.revision_no = r.revision_no) END),
  min(r.as_of), max(r.as_of), min(r.available_at), max(r.available_at), count(*) OVER ()
FROM record AS r WHERE {conditions}
GROUP BY value ORDER BY count(*) DESC, value LIMIT :limit OFFSET :offset

-- Values of the facet :facet of the records that pass the conditions, the most frequent first: value, records, items,
-- earliest and latest as_of and available_at, and how many values there are in all.
SELECT f.value, count(*),
  count(DISTINCT CASE WHEN r.artifact_kind IS NULL THEN r.revision_no ELSE
    (SELECT -a.source_no FROM revision AS v JOIN artifact AS a ON a.item_no = v.item_no WHERE v.revision_no = r.revision_no) END),
  min(r.as_of), max(r.as_of), min(r.available_at), max(r.available_at), count(*) OVER ()
FROM record_facet AS f JOIN record AS r ON r.record_id = f.record_id
WHERE f.facet = :facet AND {conditions}
GROUP BY f.value ORDER BY count(*) DESC, f.value LIMIT :limit OFFSET :offset

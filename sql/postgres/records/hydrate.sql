-- Everything a hit shows.
SELECT r.record_id,
  (SELECT count(*) FROM revision AS o WHERE o.item_no = v.item_no AND o.available_at < v.available_at) + 1,
  r.locator, r.member_id, r.item_type, r.artifact_kind, t.title, t.body, r.text_hash,
  r.as_of, r.available_at, r.source_class, r.kind, r.doc_date, r.verdict, r.link, r.citations, r.projection_version,
  r.path, v.source, v.recorded_at
FROM unnest(ids(:ids)) AS i(value) JOIN record AS r ON r.record_id = i.value
JOIN record_text AS t USING (record_id) JOIN revision AS v ON v.revision_no = r.revision_no

-- Every column that a projection decides, in the order of records/insert, of all records of the :ids (revisions).
SELECT r.record_id, r.revision_no, r.locator, r.member_id, r.item_type, r.artifact_kind, r.source_kind, r.confidence,
  r.source_class, r.kind, r.doc_date, r.verdict, r.link, r.path, r.tree_id, r.as_of, r.available_at,
  r.visible_from, r.visible_until, r.title_key, r.text_hash, r.digest, r.title_words, r.body_words,
  r.citations, r.projection_version, r.current
FROM unnest(ids(:ids)) AS i(value) JOIN record AS r ON r.revision_no = i.value ORDER BY r.record_id

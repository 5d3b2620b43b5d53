INSERT INTO record(record_id, revision_no, locator, member_id, item_type, artifact_kind, source_kind, confidence,
  source_class, kind, doc_date, verdict, link, path, tree_id, as_of, available_at, visible_from, visible_until,
  title_key, text_hash, digest, title_words, body_words, citations, projection_version, current)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

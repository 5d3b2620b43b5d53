-- The planner's statistics of what was loaded just now; autovacuum would bring them some minutes later.
ANALYZE item, revision, record, record_text, record_facet, record_words, record_terms, term, posting, segment,
  vector_segment, embedding, record_change, blob, journal, file, artifact, artifact_lineage, paper_revision, blob_use

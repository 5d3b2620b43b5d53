-- Give room back to later writes, and refresh the planner's statistics.
VACUUM (ANALYZE) item, revision, record, record_text, record_facet, record_words, record_terms, term, posting, segment,
  vector_segment, embedding, record_change, blob, journal

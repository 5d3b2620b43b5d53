-- Every chunk: slug, number, text, vector (as pgvector sends it), and the five columns of provenance; by slug and number.
SELECT CAST(slug AS TEXT), CAST(chunk_idx AS BIGINT), CAST(text AS TEXT), {embedding},
  CAST(source AS TEXT), CAST(kind AS TEXT), CAST(doc_date AS TEXT), CAST(verdict AS TEXT), CAST(link AS TEXT)
FROM {table}
ORDER BY CAST(slug AS TEXT) COLLATE "C", chunk_idx, CAST(text AS TEXT) COLLATE "C"

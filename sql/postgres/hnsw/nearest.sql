-- The records that show the :k nearest texts of a space, as its HNSW index finds them.
SELECT r.record_id
FROM (
  SELECT text_hash FROM embedding WHERE space_no = {space_no}
  ORDER BY CAST(vector AS {vector}.halfvec({dimensions})) OPERATOR({vector}.<#>)
    CAST(:query AS {vector}.halfvec({dimensions}))
  LIMIT :k
) AS e JOIN record AS r ON r.text_hash = e.text_hash

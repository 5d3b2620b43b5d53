-- Papers, blobs, their bytes.
SELECT (SELECT count(*) FROM item WHERE item_type = 'paper_source'), (SELECT count(*) FROM blob),
  (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM blob)

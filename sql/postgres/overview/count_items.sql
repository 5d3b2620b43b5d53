-- How many items have a record that passes the conditions; what was made of a paper counts as one, the paper.
SELECT
  (SELECT count(DISTINCT r.revision_no) FROM record AS r WHERE {conditions} AND r.artifact_kind IS NULL)
  + (SELECT count(DISTINCT a.source_no) FROM artifact AS a JOIN revision AS v ON v.item_no = a.item_no
    JOIN record AS r ON r.revision_no = v.revision_no WHERE {conditions})

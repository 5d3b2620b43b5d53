-- At :cutoff: visible items, a paper and each thing that was made of it; revisions observable by then; visible papers.
WITH visible AS (
  SELECT DISTINCT v.item_no FROM record AS r JOIN revision AS v ON v.revision_no = r.revision_no
  WHERE r.current = 1 AND r.visible_from <= :cutoff AND (r.visible_until IS NULL OR r.visible_until > :cutoff)
),
papers AS (
  SELECT count(DISTINCT a.source_no) AS number FROM visible JOIN artifact AS a ON a.item_no = visible.item_no
)
SELECT (SELECT count(*) FROM visible) + (SELECT number FROM papers),
  (SELECT count(*) FROM revision WHERE available_at <= :cutoff), (SELECT number FROM papers)

-- At :cutoff: visible items, revisions observable by then.
SELECT (SELECT count(DISTINCT v.item_no) FROM record AS r JOIN revision AS v ON v.revision_no = r.revision_no
    WHERE r.current AND r.visible_from <= :cutoff AND (r.visible_until IS NULL OR r.visible_until > :cutoff)),
  (SELECT count(*) FROM revision WHERE available_at <= :cutoff)

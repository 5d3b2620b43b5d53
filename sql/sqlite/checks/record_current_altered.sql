SELECT r.locator, 'the record is ' || iif(r.current, 'current, its artifact is not', 'not current, its artifact is')
FROM artifact AS a JOIN revision AS v USING (item_no) JOIN record AS r USING (revision_no)
WHERE r.current <> a.current
UNION ALL
SELECT r.locator, 'the record is not current, but belongs to no artifact' FROM record AS r
WHERE NOT r.current AND r.artifact_kind IS NULL

SELECT r.locator, 'the record is ' || CASE WHEN r.current = 1 THEN 'current, its artifact is not' ELSE 'not current, its artifact is' END
FROM artifact AS a JOIN revision AS v USING (item_no) JOIN record AS r USING (revision_no)
WHERE r.current <> a.current
UNION ALL
SELECT r.locator, 'the record is not current, but belongs to no artifact' FROM record AS r
WHERE r.current = 0 AND r.artifact_kind IS NULL

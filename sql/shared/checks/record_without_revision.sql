SELECT r.locator, 'the record was made from a revision that is not there' FROM record AS r
WHERE NOT EXISTS (SELECT 1 FROM revision AS v WHERE v.revision_no = r.revision_no)

SELECT locator, 'the same revision has the record twice' FROM record GROUP BY revision_no, locator HAVING count(*) > 1

SELECT record_id, locator, title, body FROM record WHERE record_id BETWEEN :first AND :last ORDER BY record_id

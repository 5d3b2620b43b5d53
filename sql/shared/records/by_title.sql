SELECT record_id FROM record WHERE title_key = :title_key

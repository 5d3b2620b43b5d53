SELECT 'space ' || max(space_no), 'more than one embedding space serves' FROM space
WHERE state = 'serving' HAVING count(*) > 1

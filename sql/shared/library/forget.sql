-- Remove one setting.
DELETE FROM library WHERE name = :name

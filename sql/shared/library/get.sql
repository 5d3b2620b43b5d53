-- :name of a setting; gives its JSON value.
SELECT value FROM library WHERE name = :name

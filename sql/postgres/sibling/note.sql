-- The note in which a copy says what it is. Templated with its namespace.
SELECT value FROM {namespace}.library WHERE CAST(name AS TEXT) = :name

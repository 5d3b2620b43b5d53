-- The highest number that a table ever gave.
SELECT number FROM highest WHERE name = :table

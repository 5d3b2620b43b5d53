-- The name was read by a pattern that lets nothing through but letters, digits and underscores.
CREATE SCHEMA IF NOT EXISTS "{schema}"

-- Templated with the name of a namespace that was looked at in this transaction.
DROP SCHEMA {namespace} CASCADE

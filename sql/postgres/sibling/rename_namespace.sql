-- Templated with names of namespaces. Other sessions see the old name until this transaction commits.
ALTER SCHEMA {namespace} RENAME TO {other}

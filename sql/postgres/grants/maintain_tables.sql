-- Vacuum, for compact. PostgreSQL 17 and newer have it.
GRANT MAINTAIN ON ALL TABLES IN SCHEMA {namespace} TO {role}

-- Whether a role is there; whether it may connect and use the namespace of pgvector already.
SELECT has_database_privilege(r.oid, current_database(), 'CONNECT'), has_schema_privilege(r.oid, :vector, 'USAGE')
FROM pg_catalog.pg_roles AS r WHERE r.rolname = :role

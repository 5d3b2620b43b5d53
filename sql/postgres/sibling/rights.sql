-- This role, the owner of the library, whether this role may act as that one, and which of both may make namespaces.
SELECT current_user, r.rolname, pg_has_role(n.nspowner, 'USAGE'),
  has_database_privilege(current_database(), 'CREATE'),
  has_database_privilege(n.nspowner, current_database(), 'CREATE')
FROM pg_catalog.pg_namespace AS n JOIN pg_catalog.pg_roles AS r ON r.oid = n.nspowner WHERE n.nspname = :schema

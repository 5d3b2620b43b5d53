-- Who owns the namespace, and whether this role may act for that one.
SELECT r.rolname, pg_has_role(n.nspowner, 'USAGE'), current_database(), current_user
FROM pg_catalog.pg_namespace AS n JOIN pg_catalog.pg_roles AS r ON r.oid = n.nspowner WHERE n.nspname = :schema

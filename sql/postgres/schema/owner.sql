-- Who owns a namespace, if this role is another that may act for it.
SELECT r.rolname FROM pg_catalog.pg_namespace AS n JOIN pg_catalog.pg_roles AS r ON r.oid = n.nspowner
WHERE n.nspname = :schema AND r.rolname <> current_user AND pg_has_role(n.nspowner, 'USAGE')

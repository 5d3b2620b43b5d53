-- Only who migrates changes it.
REVOKE INSERT, UPDATE, DELETE ON {namespace}.schema_version FROM {role}

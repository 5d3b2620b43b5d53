GRANT USAGE ON SCHEMA {namespace} TO {role}

REVOKE ALL ON SCHEMA {namespace} FROM {role}

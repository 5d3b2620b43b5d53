-- Numbers of new rows; a copy from another library sets them.
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA {namespace} TO {role}

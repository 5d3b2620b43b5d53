-- Where pgvector is installed: its type and its operators.
GRANT USAGE ON SCHEMA {vector} TO {role}

-- Templated with names of a namespace and of the role that is to own it.
CREATE SCHEMA {namespace} AUTHORIZATION {owner}

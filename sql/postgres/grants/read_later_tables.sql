-- ... and from tables that later migrations make.
ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {namespace} GRANT SELECT ON TABLES TO {role}

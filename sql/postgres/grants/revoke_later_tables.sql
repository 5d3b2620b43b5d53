-- ... and on tables that later migrations make.
ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {namespace} REVOKE ALL ON TABLES FROM {role}

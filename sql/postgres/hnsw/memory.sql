-- How much memory a build may use, in bytes.
SELECT CAST(setting AS BIGINT) * 1024 FROM pg_catalog.pg_settings WHERE name = 'maintenance_work_mem'

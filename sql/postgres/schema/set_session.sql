-- Settings of a session, as far as neither its address, nor its role, nor its database makes them.
SELECT set_config(s.name, w.value, false)
FROM json_each_text(CAST(:settings AS JSON)) AS w(name, value)
JOIN pg_catalog.pg_settings AS s ON s.name = w.name
WHERE s.source IN ('default', 'configuration file')

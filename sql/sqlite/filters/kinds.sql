r.kind IN (SELECT value FROM json_each(:kinds))

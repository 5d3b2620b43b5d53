r.source_class IN (SELECT value FROM json_each(:min_trust))

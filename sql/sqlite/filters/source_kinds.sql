r.source_kind IN (SELECT value FROM json_each(:source_kinds))

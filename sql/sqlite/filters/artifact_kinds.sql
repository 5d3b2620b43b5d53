r.artifact_kind IN (SELECT value FROM json_each(:artifact_kinds))

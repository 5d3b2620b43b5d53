r.locator GLOB 'artifact:*' AND substr(r.locator, 10, 36) IN (SELECT value FROM json_each(:artifact_ids))

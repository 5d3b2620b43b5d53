r.locator LIKE 'artifact:%' AND substr(r.locator, 10, 36) = ANY (texts(:artifact_ids))

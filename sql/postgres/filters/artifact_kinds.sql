r.artifact_kind = ANY (texts(:artifact_kinds))

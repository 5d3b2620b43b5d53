r.source_kind = ANY (texts(:source_kinds))

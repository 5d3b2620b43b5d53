r.kind = ANY (texts(:kinds))

r.source_class = ANY (texts(:min_trust))

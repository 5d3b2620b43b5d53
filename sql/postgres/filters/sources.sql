r.source_class = ANY (texts(:sources))

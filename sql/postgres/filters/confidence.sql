r.confidence = ANY (texts(:confidence))

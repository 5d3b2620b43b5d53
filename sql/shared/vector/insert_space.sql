INSERT INTO space(fingerprint, model, dimensions, version, normalised, max_tokens, prefix, state)
VALUES (:fingerprint, :model, :dimensions, :version, :normalised, :max_tokens, :prefix, :state)

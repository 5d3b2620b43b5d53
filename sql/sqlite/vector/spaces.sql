SELECT space_no, model, dimensions, version, normalised, max_tokens, prefix, state FROM space ORDER BY space_no

SELECT space_no, model, dimensions, version, normalised, max_tokens, prefix, state, int8_error FROM space ORDER BY space_no

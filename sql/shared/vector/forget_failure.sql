-- space, text hash.
DELETE FROM embedding_failure WHERE space_no = ? AND text_hash = ?

DELETE FROM term WHERE term_id = ?

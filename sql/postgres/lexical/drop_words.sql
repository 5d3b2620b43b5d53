-- The table stays, so that a role which may write but owns nothing can rebuild.
DELETE FROM record_words

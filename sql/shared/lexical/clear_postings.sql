DELETE FROM posting

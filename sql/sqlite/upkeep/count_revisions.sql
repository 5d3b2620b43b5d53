SELECT count(*) FROM revision

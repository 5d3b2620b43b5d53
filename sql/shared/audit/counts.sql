-- Items, revisions.
SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM revision)

-- Items, and records that a search without a cutoff sees.
SELECT (SELECT count(*) FROM item), count(*) FROM record WHERE visible_until IS NULL

-- The earliest instant at which any record is visible.
SELECT min(visible_from) FROM record

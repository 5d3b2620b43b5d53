-- How many items the library holds.
SELECT count(*) FROM item

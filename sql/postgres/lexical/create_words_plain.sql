-- The table is there already; its words are kept as they are.
UPDATE state SET stemmed = 0

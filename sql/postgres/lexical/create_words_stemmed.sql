-- The table is there already; its words are kept by their stems.
UPDATE state SET stemmed = 1

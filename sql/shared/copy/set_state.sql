-- Where the copy stands: as its source did, and beyond what anybody may have read here before.
UPDATE state SET generation = :generation, packing = :packing

-- Called when packed rows are made anew, or rewritten.
UPDATE state SET packing = packing + 1 RETURNING packing

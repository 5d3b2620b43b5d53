-- Called once by every committing transaction.
UPDATE state SET generation = generation + 1 RETURNING generation

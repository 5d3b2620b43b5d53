INSERT INTO state(only, generation, packing) VALUES (1, 0, 0)

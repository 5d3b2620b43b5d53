INSERT INTO state(one, generation, packing, stemmed) VALUES (1, 0, 0, 0)

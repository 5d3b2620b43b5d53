INSERT INTO highest(name, number) VALUES ('item', 0), ('revision', 0), ('record', 0)

-- Bytes anew for a name whose stored bytes are damaged.
UPDATE blob SET size = :size, data = :data WHERE sha256 = :sha256

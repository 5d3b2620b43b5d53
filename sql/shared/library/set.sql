-- Store one setting; :value is JSON.
INSERT INTO library(name, value) VALUES (:name, :value)
ON CONFLICT(name) DO UPDATE SET value = excluded.value

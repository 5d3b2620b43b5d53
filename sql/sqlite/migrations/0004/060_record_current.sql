-- Derived: 0 for records of an artifact beside which another one of its kind is current. Searches do not see them.
ALTER TABLE record ADD COLUMN current INTEGER NOT NULL DEFAULT 1

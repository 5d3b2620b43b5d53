-- Whether the library holds any record.
SELECT EXISTS (SELECT 1 FROM record)

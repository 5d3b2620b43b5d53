-- KNN over the int8 vectors of the allowed records; the list is applied inside the scan.
SELECT record_id, distance FROM record_vector_{space_no}
WHERE embedding MATCH vec_int8(:query) AND k = :k AND record_id IN (SELECT value FROM json_each(:ids))

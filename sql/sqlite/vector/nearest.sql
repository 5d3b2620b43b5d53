-- KNN over the int8 vectors of all records: record id, cosine distance.
SELECT record_id, distance FROM record_vector_{space_no}
WHERE embedding MATCH vec_int8(:query) AND k = :k

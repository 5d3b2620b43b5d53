-- record id, int8 vector.
INSERT INTO record_vector_{space_no}(record_id, embedding) VALUES (?, vec_int8(?))

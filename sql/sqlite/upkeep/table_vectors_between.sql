-- Rows of a space's sqlite-vec table: record id, int8 vector.
SELECT record_id, embedding FROM record_vector_{space_no} WHERE record_id BETWEEN :first AND :last

SELECT count(*) FROM record_vector_{space_no}_rowids

DROP TABLE IF EXISTS record_vector_{space_no}

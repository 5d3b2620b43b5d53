-- Records up to :last are packed now.
DELETE FROM record_terms WHERE record_id BETWEEN :first AND :last

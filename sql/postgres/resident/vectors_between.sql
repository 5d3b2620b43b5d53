-- Records of a range with a vector in the space: record id, embedding id, float16 vector.
SELECT r.record_id, e.embedding_id, e.vector
FROM record AS r JOIN embedding AS e ON e.space_no = :space_no AND e.text_hash = r.text_hash
WHERE r.record_id BETWEEN :first AND :last

-- The packed vectors of one segment: space, embedding ids, codes.
SELECT space_no, embedding_ids, codes FROM vector_segment WHERE segment_no = :segment_no

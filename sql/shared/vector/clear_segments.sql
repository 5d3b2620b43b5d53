DELETE FROM vector_segment

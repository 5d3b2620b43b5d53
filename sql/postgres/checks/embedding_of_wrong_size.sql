SELECT 'embedding ' || e.embedding_id, 'the vector has ' || vector_dims(e.vector) || ' dimensions, not ' || s.dimensions
FROM embedding AS e JOIN space AS s USING (space_no) WHERE vector_dims(e.vector) <> s.dimensions

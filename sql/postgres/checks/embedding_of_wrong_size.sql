SELECT 'embedding ' || e.embedding_id, 'the vector has ' || {vector}.vector_dims(e.vector) || ' dimensions, not ' || s.dimensions
FROM embedding AS e JOIN space AS s USING (space_no) WHERE {vector}.vector_dims(e.vector) <> s.dimensions

SELECT 'embedding ' || e.embedding_id, 'the vector has ' || length(e.vector) / 2 || ' dimensions, not ' || s.dimensions
FROM embedding AS e JOIN space AS s USING (space_no) WHERE length(e.vector) <> 2 * s.dimensions

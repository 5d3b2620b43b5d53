-- Vectors that cannot be of their space.
DELETE FROM embedding
WHERE {vector}.vector_dims(vector) <> (SELECT s.dimensions FROM space AS s WHERE s.space_no = embedding.space_no)

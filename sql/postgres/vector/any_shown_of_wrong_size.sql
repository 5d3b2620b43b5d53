-- Whether a record shows a text whose vector in the serving space cannot be of that space.
SELECT EXISTS (
  SELECT 1 FROM space AS s JOIN embedding AS e ON e.space_no = s.space_no
  WHERE s.state = 'serving' AND {vector}.vector_dims(e.vector) <> s.dimensions
    AND EXISTS (SELECT 1 FROM record AS r WHERE r.text_hash = e.text_hash))

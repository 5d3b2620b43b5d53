-- Vectors by embedding id, in the order of the ids.
SELECT e.vector FROM unnest(ids(:ids)) WITH ORDINALITY AS i(value, place) JOIN embedding AS e ON e.embedding_id = i.value
ORDER BY i.place

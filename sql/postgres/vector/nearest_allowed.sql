-- The nearest of these vectors, as vector/nearest; :ids is a JSON array of embedding ids.
SELECT e.embedding_id, 1 + (e.vector OPERATOR({vector}.<#>) CAST(:query AS {vector}.HALFVEC)) AS distance
FROM unnest(ids(:ids)) AS i(value) JOIN embedding AS e ON e.embedding_id = i.value AND e.space_no = {space_no}
ORDER BY 2 LIMIT :k

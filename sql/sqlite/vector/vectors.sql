-- :ids is an array of embedding ids, bound without a copy; gives their float16 vectors in the same order.
SELECT e.vector FROM carray(:ids) AS i CROSS JOIN embedding AS e ON e.embedding_id = i.value

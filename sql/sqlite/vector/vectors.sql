-- :ids is a JSON array of embedding ids; gives embedding id, float16 vector.
SELECT e.embedding_id, e.vector FROM json_each(:ids) AS i CROSS JOIN embedding AS e ON e.embedding_id = i.value

-- A JSON array of integers as an array.
CREATE FUNCTION ids(list TEXT) RETURNS BIGINT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN translate(list, '[]', '{}')::BIGINT[]

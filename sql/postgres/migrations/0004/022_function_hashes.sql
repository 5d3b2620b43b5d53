-- A JSON array of hexadecimal strings as an array of bytes.
CREATE FUNCTION hashes(list TEXT) RETURNS BYTEA[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT decode(value, 'hex') FROM json_array_elements_text(list::JSON) AS value)

-- A JSON array of strings as an array.
CREATE FUNCTION texts(list TEXT) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT value FROM json_array_elements_text(list::JSON) AS value)

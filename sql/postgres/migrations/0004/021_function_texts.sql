-- A JSON array of strings as an array. NUL, U+FDD0 and U+FDD1, should they be written by number, are taken as text
-- columns keep them (database/postgres_types.py).
CREATE FUNCTION texts(list TEXT) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT value FROM json_array_elements_text(CAST(
  CASE WHEN strpos(list, '\u0000') = 0 AND strpos(list, '\ufdd') = 0 THEN list
  ELSE regexp_replace(regexp_replace(list, '(?<!\\)((?:\\\\)*)(\\ufdd[01])', '\1\\ufdd1\2', 'g'),
    '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufdd0', 'g')
  END AS JSON)) AS value)

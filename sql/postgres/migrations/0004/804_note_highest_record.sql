-- Keeps `highest` in step with `record`.
CREATE FUNCTION note_highest_record() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE highest SET number = greatest(number, (SELECT max(record_id) FROM added)) WHERE name = 'record';
  RETURN NULL;
END
$$

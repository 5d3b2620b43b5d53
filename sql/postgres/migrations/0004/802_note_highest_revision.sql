-- Keeps `highest` in step with `revision`.
CREATE FUNCTION note_highest_revision() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE highest SET number = greatest(number, (SELECT max(revision_no) FROM added)) WHERE name = 'revision';
  RETURN NULL;
END
$$

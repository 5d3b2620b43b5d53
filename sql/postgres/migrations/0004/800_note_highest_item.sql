-- Keeps `highest` in step with `item`.
CREATE FUNCTION note_highest_item() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE highest SET number = greatest(number, (SELECT max(item_no) FROM added)) WHERE name = 'item';
  RETURN NULL;
END
$$

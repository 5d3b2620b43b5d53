-- The largest quantisation error seen so far.
UPDATE space SET int8_error = greatest(int8_error, :int8_error) WHERE space_no = :space_no

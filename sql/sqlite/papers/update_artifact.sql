-- What was derived from another content of the same artifact.
UPDATE artifact SET source_no = :source_no, kind = :kind, config_hash = :config_hash, input_hash = :input_hash,
  members = :members
WHERE item_no = :item_no

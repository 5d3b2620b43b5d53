-- What is derived from an artifact; whether it is current stays when there is a row already.
INSERT INTO artifact(item_no, source_no, kind, config_hash, input_hash, members, current)
VALUES (:item_no, :source_no, :kind, :config_hash, :input_hash, :members, :current)
ON CONFLICT(item_no) DO UPDATE SET source_no = excluded.source_no, kind = excluded.kind,
  config_hash = excluded.config_hash, input_hash = excluded.input_hash, members = excluded.members

INSERT INTO artifact(item_no, source_no, kind, config_hash, input_hash, members, current)
VALUES (:item_no, :source_no, :kind, :config_hash, :input_hash, :members, :current)

INSERT INTO withdrawal(item_no, at, recorded_at) VALUES (:item_no, :at, :recorded_at)
ON CONFLICT DO NOTHING

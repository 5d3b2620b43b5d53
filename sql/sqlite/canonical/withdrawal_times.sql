-- When the withdrawals of one item were recorded: at, recorded_at.
SELECT d.at, d.recorded_at FROM withdrawal AS d JOIN item AS i ON i.item_no = d.item_no
WHERE i.item_id = :item_id ORDER BY d.at

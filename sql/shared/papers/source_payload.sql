-- The state of the item :item_id that became available at :available_at: revision, hash, payload.
SELECT v.revision_no, v.content_hash, v.payload FROM item AS i JOIN revision AS v ON v.item_no = i.item_no
WHERE i.item_id = :item_id AND v.available_at IS NOT DISTINCT FROM :available_at

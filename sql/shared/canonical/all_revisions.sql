-- Everything that was ever put, in the order in which it came: revision, item number, id, type, times, hash, payload,
-- source.
SELECT r.revision_no, i.item_no, i.item_id, i.item_type, r.available_at, r.as_of, r.content_hash, r.payload, r.source
FROM revision AS r JOIN item AS i ON i.item_no = r.item_no
WHERE r.revision_no > :after ORDER BY r.revision_no LIMIT :limit

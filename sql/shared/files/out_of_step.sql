-- Indexed files whose text the library does not show now: their item was withdrawn, purged or put by someone else.
SELECT f.path FROM file AS f
WHERE f.folder_no = :folder_no AND f.state = 'indexed' AND NOT EXISTS (
  SELECT 1 FROM item AS i JOIN revision AS v ON v.item_no = i.item_no JOIN record AS r ON r.revision_no = v.revision_no
  WHERE i.item_id = f.item_id AND v.content_hash = f.item_hash AND r.visible_until IS NULL
)

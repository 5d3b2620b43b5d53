-- Revisions after number :after observable by :last, those of artifacts left out that searches do not see: revision, item
-- id, available_at, end of visibility, payload.
SELECT v.revision_no, i.item_id, v.available_at,
  (SELECT r.visible_until FROM record AS r WHERE r.revision_no = v.revision_no LIMIT 1), v.payload
FROM revision AS v JOIN item AS i ON i.item_no = v.item_no
WHERE v.revision_no > :after AND v.available_at <= :last
  AND NOT EXISTS (SELECT 1 FROM artifact AS a WHERE a.item_no = v.item_no AND a.current = 0)
ORDER BY v.revision_no LIMIT :limit

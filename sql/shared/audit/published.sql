-- Revisions after number :after with a time of publication and a known availability: revision, published_at (ISO text),
-- item id, item type, source kind, available_at, as_of, recorded_at.
SELECT v.revision_no, v.source ->> 'published_at', i.item_id, i.item_type,
  v.source ->> 'kind', v.available_at, v.as_of, v.recorded_at
FROM revision AS v JOIN item AS i ON i.item_no = v.item_no
WHERE v.revision_no > :after AND v.available_at IS NOT NULL AND v.source ->> 'published_at' IS NOT NULL
ORDER BY v.revision_no LIMIT :limit

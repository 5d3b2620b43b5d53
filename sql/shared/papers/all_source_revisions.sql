-- Every revision of every paper after number :after: revision, id, payload.
SELECT v.revision_no, i.item_id, v.payload FROM revision AS v JOIN item AS i USING (item_no)
WHERE v.revision_no > :after AND i.item_type = 'paper_source' ORDER BY v.revision_no LIMIT :limit

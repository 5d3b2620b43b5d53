-- Artifacts that were made from :ancestor_id.
SELECT DISTINCT i.item_id FROM artifact_lineage AS l JOIN item AS i ON i.item_no = l.item_no
WHERE l.ancestor_id = :ancestor_id ORDER BY i.item_id

-- Every blob that a revision of the item names.
SELECT DISTINCT u.sha256 FROM revision AS v JOIN blob_use AS u ON u.revision_no = v.revision_no
WHERE v.item_no = :item_no ORDER BY u.sha256

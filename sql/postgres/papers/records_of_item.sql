SELECT r.record_id FROM revision AS v JOIN record AS r ON r.revision_no = v.revision_no
WHERE v.item_no = :item_no ORDER BY r.record_id

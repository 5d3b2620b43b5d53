SELECT r.record_id FROM unnest(ids(:ids)) AS i(value) JOIN record AS r ON r.revision_no = i.value ORDER BY r.record_id

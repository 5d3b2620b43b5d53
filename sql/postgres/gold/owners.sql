-- The revisions that the records :ids belong to: as many as there are documents among them.
SELECT DISTINCT r.revision_no FROM unnest(ids(:ids)) AS i(value) JOIN record AS r ON r.record_id = i.value

-- Which of the :ids satisfy the conditions: the last check before hits are handed out.
SELECT r.record_id FROM unnest(ids(:ids)) AS i(value) JOIN record AS r ON r.record_id = i.value WHERE {conditions}

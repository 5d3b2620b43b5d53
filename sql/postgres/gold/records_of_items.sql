-- Every record of the items :item_ids (JSON), of all their revisions: item, record, address, hash of the text.
SELECT i.item_id, r.record_id, r.locator, r.text_hash
FROM unnest(texts(:item_ids)) AS l(value) JOIN item AS i ON i.item_id = l.value
JOIN revision AS v ON v.item_no = i.item_no JOIN record AS r ON r.revision_no = v.revision_no

-- Records that stand now, of items of the types in the JSON array :item_types (NULL is all), of more than :bytes bytes
-- of text: item id, record id. Lengths stand in the row's header, so that no text is read.
SELECT i.item_id, r.record_id
FROM item AS i CROSS JOIN revision AS v ON v.item_no = i.item_no CROSS JOIN record AS r ON r.revision_no = v.revision_no
CROSS JOIN record_text AS t ON t.record_id = r.record_id
WHERE r.visible_until IS NULL AND r.current = 1
    AND (CAST(:item_types AS TEXT) IS NULL OR i.item_type IN (SELECT value FROM json_each(:item_types)))
  AND octet_length(t.title) + octet_length(t.body) > :bytes
ORDER BY r.record_id

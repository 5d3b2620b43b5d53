-- Texts that the model answered with something unusable: a locator that shows the text, reason.
SELECT min(r.locator), f.reason
FROM embedding_failure AS f JOIN record AS r ON r.text_hash = f.text_hash
WHERE f.space_no = :space_no GROUP BY f.text_hash, f.reason ORDER BY 1

-- Which of the :names (JSON) there are bytes for.
SELECT b.sha256 FROM unnest(texts(:names)) AS n(value) JOIN blob AS b ON b.sha256 = n.value

-- Which of the :names (JSON) there are bytes for.
SELECT b.sha256 FROM json_each(:names) AS n CROSS JOIN blob AS b ON b.sha256 = n.value

-- Whether the word index holds stems: 'porter' when it does.
SELECT CASE stemmed WHEN 1 THEN 'porter' ELSE 'plain' END FROM state

r.verdict IN (SELECT value FROM json_each(:verdicts))

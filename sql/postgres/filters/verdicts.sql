r.verdict = ANY (texts(:verdicts))

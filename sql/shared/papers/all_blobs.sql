SELECT sha256 FROM blob WHERE sha256 > :after ORDER BY sha256 LIMIT :limit

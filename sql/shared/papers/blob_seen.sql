-- Whether a revision of a paper that was observable by :cutoff (NULL is any time) names the blob.
SELECT EXISTS (SELECT 1 FROM blob_use AS u JOIN revision AS v ON v.revision_no = u.revision_no
  WHERE u.sha256 = :sha256 AND (CAST(:cutoff AS BIGINT) IS NULL OR v.available_at <= :cutoff))

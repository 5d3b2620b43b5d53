-- Papers observable by :cutoff (NULL is any time) that have the arXiv id :arxiv_paper: id, arXiv id with its version,
-- number of the revision.
SELECT i.item_id, p.arxiv_id, v.revision_no FROM paper_revision AS p
JOIN revision AS v ON v.revision_no = p.revision_no JOIN item AS i ON i.item_no = v.item_no
WHERE p.arxiv_paper = :arxiv_paper AND (CAST(:cutoff AS BIGINT) IS NULL OR v.available_at <= :cutoff)
ORDER BY i.item_id, v.revision_no

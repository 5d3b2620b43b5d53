-- Artifacts by kind, current or not.
SELECT kind, count(*) FROM artifact GROUP BY kind ORDER BY kind

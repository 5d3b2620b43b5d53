-- All folders with how many files are indexed, how many passages they hold, and how many files are unreadable.
SELECT f.collection, f.root, f.changed_at,
  (SELECT count(*) FROM file AS p WHERE p.folder_no = f.folder_no AND p.state = 'indexed'),
  (SELECT CAST(coalesce(sum(p.passages), 0) AS BIGINT) FROM file AS p WHERE p.folder_no = f.folder_no AND p.state = 'indexed'),
  (SELECT count(*) FROM file AS p WHERE p.folder_no = f.folder_no AND p.state = 'unreadable')
FROM folder AS f ORDER BY f.collection

-- All folders, with how many files are indexed and how many passages they hold: by collection.
SELECT f.folder_no, f.collection, f.root, f.device, f.inode, f.settings, f.changed_at,
  (SELECT count(*) FROM file AS p WHERE p.folder_no = f.folder_no AND p.state = 'indexed'),
  (SELECT coalesce(sum(p.passages), 0) FROM file AS p WHERE p.folder_no = f.folder_no AND p.state = 'indexed')
FROM folder AS f ORDER BY f.collection

-- Keeps where a collection's folder is, and how it was read last.
INSERT INTO folder(collection, root, device, inode, settings, changed_at)
VALUES (:collection, :root, :device, :inode, :settings, :changed_at)
ON CONFLICT (collection) DO UPDATE SET root = excluded.root, device = excluded.device, inode = excluded.inode,
  settings = excluded.settings, changed_at = excluded.changed_at

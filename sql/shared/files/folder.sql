-- The folder of a collection.
SELECT folder_no, collection, root, device, inode, settings, changed_at FROM folder WHERE collection = :collection

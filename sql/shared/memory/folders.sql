-- Folders that documents are read from: number, collection, real path (bytes), settings (JSON).
SELECT folder_no, collection, root, settings FROM folder ORDER BY collection

-- Forgets one file.
DELETE FROM file WHERE folder_no = ? AND path = ?

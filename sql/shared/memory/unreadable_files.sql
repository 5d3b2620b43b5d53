-- Files that could not be read when their folder was last looked at: folder number, path (bytes), reason.
SELECT folder_no, path, reason FROM file WHERE state = 'unreadable' ORDER BY folder_no, path

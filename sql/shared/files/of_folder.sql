-- What is known of every file of a folder.
SELECT path, state, size, modified_ns, changed_ns, device, read_ns, content_hash, item_id, item_hash, passages, reader,
  reason, notes
FROM file WHERE folder_no = :folder_no

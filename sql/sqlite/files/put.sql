-- Keeps what is known of one file.
INSERT OR REPLACE INTO file(folder_no, path, state, size, modified_ns, changed_ns, device, read_ns, content_hash,
  item_id, item_hash, passages, reader, reason, notes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- Keeps what is known of one file.
INSERT INTO file(folder_no, path, state, size, modified_ns, changed_ns, device, read_ns, content_hash,
  item_id, item_hash, passages, reader, reason, notes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (folder_no, path) DO UPDATE SET state = excluded.state, size = excluded.size,
  modified_ns = excluded.modified_ns, changed_ns = excluded.changed_ns, device = excluded.device,
  read_ns = excluded.read_ns, content_hash = excluded.content_hash, item_id = excluded.item_id,
  item_hash = excluded.item_hash, passages = excluded.passages, reader = excluded.reader, reason = excluded.reason,
  notes = excluded.notes

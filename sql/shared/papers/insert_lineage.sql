-- item number, position, ancestor.
INSERT INTO artifact_lineage(item_no, position, ancestor_id) VALUES (?, ?, ?)

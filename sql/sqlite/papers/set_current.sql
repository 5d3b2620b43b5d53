-- item number, whether it is current.
UPDATE artifact SET current = ?2 WHERE item_no = ?1

-- item number, whether it is current.
UPDATE artifact SET current = :current WHERE item_no = :item_no

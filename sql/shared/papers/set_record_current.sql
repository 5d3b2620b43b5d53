-- item number, whether its records are current.
UPDATE record SET current = :current
WHERE revision_no IN (SELECT revision_no FROM revision WHERE item_no = :item_no) AND current IS DISTINCT FROM :current

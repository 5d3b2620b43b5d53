-- item number, whether its records are current.
UPDATE record SET current = ?2
WHERE revision_no IN (SELECT revision_no FROM revision WHERE item_no = ?1) AND current IS NOT ?2

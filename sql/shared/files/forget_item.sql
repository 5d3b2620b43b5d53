-- Forgets the files of an item that is erased.
DELETE FROM file WHERE item_id = :item_id

-- Whether a correction replaced a revision of the item.
SELECT EXISTS (SELECT 1 FROM journal WHERE subject = :item_id AND kind = 'correction')

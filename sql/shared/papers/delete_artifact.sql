DELETE FROM artifact WHERE item_no = :item_no

DELETE FROM item WHERE item_no = :item_no

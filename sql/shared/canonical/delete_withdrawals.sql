DELETE FROM withdrawal WHERE item_no = :item_no

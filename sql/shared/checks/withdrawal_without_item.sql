SELECT 'item number ' || w.item_no, 'a withdrawal belongs to no item' FROM withdrawal AS w
WHERE NOT EXISTS (SELECT 1 FROM item AS i WHERE i.item_no = w.item_no)

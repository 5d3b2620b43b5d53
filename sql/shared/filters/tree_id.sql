r.tree_id = :tree_id

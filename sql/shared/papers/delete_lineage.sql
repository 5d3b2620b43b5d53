DELETE FROM artifact_lineage WHERE item_no = :item_no

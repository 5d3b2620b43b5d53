SELECT count(*) FROM embedding WHERE space_no = :space_no

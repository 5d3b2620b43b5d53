UPDATE space SET state = :state WHERE space_no = :space_no

SELECT outcomes FROM run WHERE run_no = :run_no

-- From now on the run is what later ones are compared with.
UPDATE run SET promoted_at = :now, note = :note WHERE run_no = :run_no

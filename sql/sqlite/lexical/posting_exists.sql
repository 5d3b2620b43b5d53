SELECT EXISTS (SELECT 1 FROM segment AS s CROSS JOIN posting AS p
               WHERE p.segment_no = s.segment_no AND p.term_id = :term_id)

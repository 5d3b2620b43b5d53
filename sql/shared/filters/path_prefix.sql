(r.path = :path_prefix OR (r.path >= :path_below AND r.path < :path_end))

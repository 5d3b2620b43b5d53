r.available_at >= :available_at_after

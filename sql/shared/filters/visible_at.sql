r.current = 1 AND r.visible_from <= :cutoff AND (r.visible_until IS NULL OR r.visible_until > :cutoff)

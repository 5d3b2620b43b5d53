-- What stood at the cutoff, whether or not another artifact is current in its place.
r.visible_from <= :cutoff AND (r.visible_until IS NULL OR r.visible_until > :cutoff)

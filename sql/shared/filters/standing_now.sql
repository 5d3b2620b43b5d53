-- What stands now, whether or not another artifact is current in its place.
r.visible_until IS NULL

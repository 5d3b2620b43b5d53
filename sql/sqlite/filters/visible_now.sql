r.visible_until IS NULL

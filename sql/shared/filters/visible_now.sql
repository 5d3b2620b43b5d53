r.visible_until IS NULL AND r.current = 1

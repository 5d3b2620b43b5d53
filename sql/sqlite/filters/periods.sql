r.record_id IN ({ids})

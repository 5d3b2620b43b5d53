r.record_id NOT IN ({ids})

-- Changes of ranking or fusion recorded after :cutoff: when, why.
SELECT recorded_at, detail FROM journal WHERE kind = 'settings' AND recorded_at > :cutoff ORDER BY entry_no

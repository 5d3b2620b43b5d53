-- From now on the run is what later ones are compared with: it is the last promoted, whatever the clock says. What was
-- said of it before stays.
UPDATE run SET promoted_at = greatest(CAST(:now AS BIGINT), (SELECT coalesce(max(promoted_at), 0) + 1 FROM run)),
  note = CASE WHEN CAST(:note AS TEXT) = '' THEN note WHEN note = '' THEN CAST(:note AS TEXT) ELSE note || '; ' || CAST(:note AS TEXT) END
WHERE run_no = :run_no

-- From now on the run is what later ones are compared with: it is the last promoted, whatever the clock says. What was
-- said of it before stays.
UPDATE run SET promoted_at = max(:now, (SELECT coalesce(max(promoted_at), 0) + 1 FROM run)),
  note = CASE WHEN :note = '' THEN note WHEN note = '' THEN :note ELSE note || '; ' || :note END
WHERE run_no = :run_no

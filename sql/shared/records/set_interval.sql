-- visible_from, visible_until, revision; the same interval writes nothing.
UPDATE record SET visible_from = :visible_from, visible_until = :visible_until
WHERE revision_no = :revision_no AND (visible_from IS DISTINCT FROM :visible_from
  OR visible_until IS DISTINCT FROM :visible_until)

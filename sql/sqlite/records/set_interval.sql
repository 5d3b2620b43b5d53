-- visible_from, visible_until, revision; the same interval writes nothing.
UPDATE record SET visible_from = ?1, visible_until = ?2
WHERE revision_no = ?3 AND (visible_from IS NOT ?1 OR visible_until IS NOT ?2)

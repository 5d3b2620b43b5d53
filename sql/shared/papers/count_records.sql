-- How many records were made from a revision.
SELECT count(*) FROM record WHERE revision_no = :revision_no

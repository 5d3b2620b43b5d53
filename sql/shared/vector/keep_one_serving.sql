-- Of several serving spaces the one that answers searches, the oldest, goes on; the others are built on.
UPDATE space SET state = 'building'
WHERE state = 'serving' AND space_no > (SELECT min(space_no) FROM space WHERE state = 'serving')

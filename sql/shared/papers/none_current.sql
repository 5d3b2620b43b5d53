-- The newest stored artifact of each paper and kind of which none is current.
SELECT max(a.item_no) FROM artifact AS a GROUP BY a.source_no, a.kind HAVING sum(a.current) = 0

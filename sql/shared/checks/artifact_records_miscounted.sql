SELECT i.item_id, 'revision ' || v.revision_no || ' has ' || count(r.record_id) || ' records, not ' || a.members
FROM artifact AS a JOIN item AS i USING (item_no) JOIN revision AS v USING (item_no)
LEFT JOIN record AS r ON r.revision_no = v.revision_no
GROUP BY v.revision_no, i.item_id, a.members HAVING count(r.record_id) <> a.members

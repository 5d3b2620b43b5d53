-- The records of a facet, comma-separated. The list is one of the folder filters/ids.
SELECT group_concat(record_id) FROM (
{ids}
)

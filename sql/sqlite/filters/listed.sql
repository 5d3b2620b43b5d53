-- The records of a facet, comma-separated. The list is one of sql/sqlite/filters/ids.
SELECT group_concat(record_id) FROM (
{ids}
)

-- The records of a facet, comma-separated. The list is one of the folder filters/ids.
SELECT string_agg(CAST(record_id AS TEXT), ',') FROM (
{ids}
)

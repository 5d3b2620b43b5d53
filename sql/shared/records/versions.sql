-- Which versions of which projections made the records: a rebuild by others changes what searches rank.
SELECT DISTINCT item_type, artifact_kind, projection_version FROM record
ORDER BY item_type, artifact_kind NULLS FIRST, projection_version

-- Numbers that no copy of this name had before: who has an older one open by hand sees by them that it is another.
UPDATE state SET (generation, packing) = (
  SELECT t.now, t.now FROM (SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)) AS t(now)
)

-- The sqlite-vec table of one space: int8 vectors, each scaled by its own largest component, so that
-- cosine does not notice. Templated with two integers: the space's number and its dimensions.
CREATE VIRTUAL TABLE record_vector_{space_no} USING vec0(
  record_id INTEGER PRIMARY KEY,
  embedding int8[{dimensions}] distance_metric=cosine
)

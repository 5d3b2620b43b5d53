-- Bookkeeping. What a run measured: for each mode (and hybrid minus its best leg) each measure's mean over the queries,
-- with the bounds of its 95 % interval.
CREATE TABLE run_figure(
  run_no BIGINT NOT NULL REFERENCES run(run_no),
  mode TEXT COLLATE "C" NOT NULL,
  measure TEXT COLLATE "C" NOT NULL,
  value DOUBLE PRECISION NOT NULL,
  low DOUBLE PRECISION NOT NULL,
  high DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (run_no, mode, measure)
)

-- Bookkeeping. What a run measured: for each mode (and hybrid minus its best leg) each measure's mean over the queries,
-- with the bounds of its 95 % interval.
CREATE TABLE run_figure(
  run_no INTEGER NOT NULL REFERENCES run(run_no),
  mode TEXT NOT NULL,
  measure TEXT NOT NULL,
  value REAL NOT NULL,
  low REAL NOT NULL,
  high REAL NOT NULL,
  PRIMARY KEY (run_no, mode, measure)
) WITHOUT ROWID

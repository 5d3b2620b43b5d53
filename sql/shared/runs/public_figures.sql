-- For the public export: see public_runs.
SELECT run_no, mode, measure, value, low, high FROM run_figure ORDER BY run_no, mode, measure

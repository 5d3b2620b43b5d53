-- run, mode, measure, value, low, high.
INSERT INTO run_figure(run_no, mode, measure, value, low, high) VALUES (?, ?, ?, ?, ?, ?)

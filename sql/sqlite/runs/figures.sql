-- Figures of the runs :ids.
SELECT f.run_no, f.mode, f.measure, f.value, f.low, f.high
FROM json_each(:ids) AS i CROSS JOIN run_figure AS f ON f.run_no = i.value

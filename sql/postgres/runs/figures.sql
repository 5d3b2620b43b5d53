-- Figures of the runs :ids.
SELECT f.run_no, f.mode, f.measure, f.value, f.low, f.high
FROM unnest(ids(:ids)) AS i(value) JOIN run_figure AS f ON f.run_no = i.value

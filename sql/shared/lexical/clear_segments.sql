DELETE FROM segment

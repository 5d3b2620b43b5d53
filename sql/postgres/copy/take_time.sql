-- What follows in this transaction takes as long as it takes.
SET LOCAL statement_timeout = 0

CREATE INDEX term_by_stem ON term(stem)

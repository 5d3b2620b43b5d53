-- Derived. Values of which a record may have several: tag, ticker, period, identifier.
CREATE TABLE record_facet(
  facet TEXT NOT NULL,
  value TEXT NOT NULL,
  record_id INTEGER NOT NULL,
  PRIMARY KEY (facet, value, record_id)
) WITHOUT ROWID

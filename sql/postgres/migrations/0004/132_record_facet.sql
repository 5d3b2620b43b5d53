-- Derived. Values of which a record may have several: tag, ticker, period, identifier.
CREATE TABLE record_facet(
  facet TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  record_id BIGINT NOT NULL,
  PRIMARY KEY (facet, value, record_id)
)

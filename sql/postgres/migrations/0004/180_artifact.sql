-- Canonical: `current`, which of a paper's artifacts of a kind searches see. The rest is derived from the item:
-- the paper (`source_no`, an item), what made it (`config_hash`), from what (`input_hash`: of the paper's text and the
-- lineage), and how many records it gives (`members`).
CREATE TABLE artifact(
  item_no BIGINT PRIMARY KEY REFERENCES item(item_no),
  source_no BIGINT NOT NULL REFERENCES item(item_no),
  kind TEXT COLLATE "C" NOT NULL,
  config_hash TEXT COLLATE "C" NOT NULL,
  input_hash TEXT COLLATE "C" NOT NULL,
  members BIGINT NOT NULL,
  current BIGINT NOT NULL CHECK (current IN (0, 1))
)

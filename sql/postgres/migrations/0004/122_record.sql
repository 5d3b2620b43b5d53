-- Derived. One searchable projection, visible in [visible_from, visible_until).
-- "Now" is visible_until IS NULL; an unknown availability has no visible_from and is only in "now".
-- `current` is 0 for records of an artifact beside which another one of its kind is current. Searches do not see them.
CREATE TABLE record(
  record_id BIGINT PRIMARY KEY,
  revision_no BIGINT NOT NULL,
  locator TEXT COLLATE "C" NOT NULL,
  member_id TEXT COLLATE "C",
  item_type TEXT COLLATE "C" NOT NULL,
  artifact_kind TEXT COLLATE "C",
  source_kind TEXT COLLATE "C" NOT NULL,
  confidence TEXT COLLATE "C" NOT NULL,
  source_class TEXT COLLATE "C",
  kind TEXT COLLATE "C",
  doc_date TEXT COLLATE "C",
  verdict TEXT COLLATE "C",
  link TEXT COLLATE "C",
  path TEXT COLLATE "C",
  tree_id TEXT COLLATE "C",
  as_of BIGINT NOT NULL,
  available_at BIGINT,
  visible_from BIGINT,
  visible_until BIGINT,
  title_key BIGINT NOT NULL,
  text_hash BYTEA NOT NULL,
  digest BIGINT NOT NULL,
  title_words BIGINT NOT NULL,
  body_words BIGINT NOT NULL,
  citations TEXT COLLATE "C" NOT NULL,
  projection_version BIGINT NOT NULL,
  current BIGINT NOT NULL DEFAULT 1
)

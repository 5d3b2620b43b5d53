-- Bookkeeping. What was evaluated or built, when, with which settings and versions, and whether it was promoted; neither
-- knowledge nor derived from it. `target` is the index that serves or the candidate beside it. `finished_at` is NULL
-- while a job runs, and stays so when it was killed. `gold_digest` names the judgements, `mode` the ranking that the gate
-- looks at, `protocol` (JSON) what else must be equal for two runs to be compared. `fingerprint` names the index.
-- `promote` is 1, 0, or NULL when there was nothing to compare with; `reasons` (JSON) say why not, `obstacles` (JSON) what
-- forbids it whatever recall says. `outcomes` (JSON, zlib) says by query, which is named by a digest, what each mode found.
CREATE TABLE run(
  run_no INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('evaluate', 'tune', 'reindex')),
  target TEXT NOT NULL CHECK (target IN ('serving', 'candidate')),
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  gold_digest TEXT,
  gold_name TEXT,
  k INTEGER,
  mode TEXT,
  queries INTEGER,
  negatives INTEGER,
  protocol TEXT NOT NULL,
  settings_digest TEXT NOT NULL,
  settings TEXT NOT NULL,
  space TEXT,
  versions TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  items INTEGER NOT NULL,
  records INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  embedded INTEGER NOT NULL,
  tolerance REAL,
  promote INTEGER,
  reasons TEXT NOT NULL,
  obstacles TEXT NOT NULL,
  note TEXT NOT NULL,
  promoted_at INTEGER,
  outcomes BLOB
)

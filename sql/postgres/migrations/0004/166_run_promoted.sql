CREATE INDEX run_promoted ON run(promoted_at) WHERE promoted_at IS NOT NULL

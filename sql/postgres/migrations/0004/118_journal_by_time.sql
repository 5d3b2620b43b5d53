CREATE INDEX journal_by_time ON journal(recorded_at)

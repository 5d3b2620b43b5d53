INSERT INTO journal(recorded_at, kind, subject, affected_from, detail)
VALUES (:recorded_at, :kind, :subject, :affected_from, :detail)

CREATE INDEX artifact_by_source ON artifact(source_no)

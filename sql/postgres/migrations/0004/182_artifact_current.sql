CREATE UNIQUE INDEX artifact_current ON artifact(source_no, kind) WHERE current = 1

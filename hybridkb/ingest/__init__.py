"""The write flow: validate, compare, project, analyse, embed, commit."""

from hybridkb.ingest.reports import ArtifactReport, EmbedReport, PaperReport, ProgressCallback, PutReport, Skipped

__all__ = ["ArtifactReport", "EmbedReport", "PaperReport", "ProgressCallback", "PutReport", "Skipped"]

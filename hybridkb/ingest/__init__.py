"""The write flow: validate, compare, project, analyse, embed, commit."""

from hybridkb.ingest.reports import EmbedReport, ProgressCallback, PutReport, Skipped

__all__ = ["EmbedReport", "ProgressCallback", "PutReport", "Skipped"]

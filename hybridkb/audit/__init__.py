"""What makes answers about the past unsafe, and what has changed them since they were given."""

from hybridkb.audit.report import AuditReport, Example, Finding, ModelUse

__all__ = ["AuditReport", "Example", "Finding", "ModelUse"]

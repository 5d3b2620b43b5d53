"""A folder of documents and the library in step: look, compare, read what changed, withdraw what is gone."""

from hybridkb.folder.report import FileNote, FolderSummary, RefreshCounts
from hybridkb.folder.settings import DEFAULT_COLLECTION, MAX_FILE_BYTES, Availability

__all__ = ["DEFAULT_COLLECTION", "MAX_FILE_BYTES", "Availability", "FileNote", "FolderSummary", "RefreshCounts"]

"""Canonical rows and the derived rows that follow them, written inside the caller's transaction."""

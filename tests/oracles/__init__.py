"""Slow, obvious, independent answers that the engine is judged against."""

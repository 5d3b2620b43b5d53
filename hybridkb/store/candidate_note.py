"""What a copy of a library says when it is a candidate beside it (:mod:`hybridkb.evaluation`)."""

from __future__ import annotations

from typing import Final

NOTE: Final = "candidate"
"""Names the setting in which a copy says that it is one, and of what; and ends the name of the place where it is."""

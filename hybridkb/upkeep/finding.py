"""One thing that a check found wrong."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One contradiction.

    Attributes:
        code: the check's name, the same for every finding of its kind.
        message: what is wrong.
        locator: where: a locator, or the name of a row.
    """

    code: str
    message: str
    locator: str | None

    def __str__(self) -> str:
        return f"{self.locator}: {self.message} [{self.code}]" if self.locator else f"{self.message} [{self.code}]"

"""What every section of the page is made of, and the words they share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Found = dict[str, Any]
Results = Mapping[str, Found]

OURS, RECIPE = "hybridkb", "textbook"
RECIPE_TITLE = "textbook recipe"
MODES = ("lexical", "semantic", "hybrid")
MEASURES = {"ndcg_at_10": "nDCG@10", "recall_at_100": "recall@100"}
SIZES = ("10k", "100k", "1M")
FOLDER = "plots"


@dataclass(frozen=True, slots=True)
class Run:
    """A stored run: what it measured, the command that makes it again, and what it found."""

    what: str
    command: str
    found: Found

    @property
    def cells(self) -> list[str]:
        """The run as a line of a table: when, from which commit, on what."""
        machine = self.found["machine"]
        return [self.what, f"`{self.command}`", self.found["date"], self.found["revision"],
                f"{machine['processor']}, {machine['cores']} cores, load {machine['load_average']}"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page as Markdown, its plots by file name, and the runs that its figures are of."""

    text: str
    plots: dict[str, str] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)


def paragraphs(*parts: str) -> str:
    """The parts that say something, with a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def picture(name: str, title: str) -> str:
    """A plot within the page; a screen reader is told where the same figures stand, the file itself says them too."""
    return f"![{title}. The figures stand in the tables of this section.]({FOLDER}/{name})"


def missing(what: str, commands: Iterable[str]) -> str:
    """That figures are not stored, and what makes them; nothing when nothing is missing."""
    named = [f"`{command}`" for command in commands]
    verb = "makes" if len(named) == 1 else "make"
    return f"*Not stored yet: {what}. {and_list(named)} {verb} them.*" if named else ""


def dataset(name: str, judgements: str) -> str:
    """A collection as it is named on a command line."""
    return f"PATH/{name}" if judgements == "test" else f"PATH/{name}:{judgements}"


def case_name(case: str) -> str:
    """A case of the speed runs in plain words."""
    return re.sub(r"\btag-([\d.]+)", r"filter that leaves \1 %", case)


def relative(pairs: Sequence[tuple[float, float]]) -> float:
    """By what share the first of each pair is above the second, on average over the pairs."""
    return sum(one / other - 1 for one, other in pairs) / len(pairs)


def and_list(words: Sequence[str]) -> str:
    """Words with commas and an "and"."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)

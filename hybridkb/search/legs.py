"""Both ranked lists of a search, before they are fused: what a tuning of the fusion works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hybridkb.fusion import LegShare


@dataclass(frozen=True, slots=True)
class RankedLegs:
    """What the fusion of a search gets.

    Attributes:
        lexical, semantic: each leg's best, by record id; ``semantic`` is empty where words alone rank.
        guarded: records whose identifier or title the query names exactly.
        locators: UTF-8 bytes of the address of every record in them.
    """

    lexical: Mapping[int, LegShare]
    semantic: Mapping[int, LegShare]
    guarded: frozenset[int]
    locators: Mapping[int, bytes]

    def names(self, keys: Sequence[int]) -> Mapping[int, bytes]:
        """The addresses of some records, which break ties."""
        return {key: self.locators[key] for key in keys}

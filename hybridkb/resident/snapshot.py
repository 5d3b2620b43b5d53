"""One state of the library in memory: everything an answer needs that is not a row of its own."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hybridkb.lexical.groups import GroupPostings
from hybridkb.lexical.postings import GROUP_BYTES, ByteBoundCache, PostingCache
from hybridkb.lexical.ranking import RankingSettings, Statistics, length_norms
from hybridkb.lexical.read_texts import ReadTexts
from hybridkb.lexical.tail import Tail
from hybridkb.lexical.vocabulary import Key
from hybridkb.resident.columns import NEVER, Columns
from hybridkb.resident.vectors import VectorColumns

MOST_VISIBILITIES = 8
MOST_MASKS = 16
MOST_NORMS = 2


@dataclass(frozen=True, slots=True)
class Visibility:
    """What is visible at one cutoff, or now.

    Attributes:
        mask: by record id, whether the record is visible.
        title_words, body_words: total lengths of the visible records.
        records: how many are visible.
        digest: names the visible set; equal sets of equal records give equal digests.
        holding: remembers how many visible records hold a stem.
    """

    mask: NDArray[np.bool_]
    records: int
    title_words: int
    body_words: int
    digest: int
    holding: dict[str, int] = field(default_factory=dict)

    def statistics(self, settings: RankingSettings) -> Statistics:
        """N and the average weighted length."""
        total = settings.title_weight * self.title_words + settings.body_weight * self.body_words
        return Statistics(self.records, total / self.records if self.records and total else 1.0)


@dataclass(slots=True)
class Resident:
    """An immutable state of the library; caches inside only remember what could be computed again."""

    generation: int
    packing: int
    columns: Columns
    tail: Tail
    vectors: VectorColumns | None
    postings: PostingCache
    texts: ReadTexts
    groups: ByteBoundCache[Key, GroupPostings] = field(default_factory=lambda: ByteBoundCache(GROUP_BYTES))
    _visible: OrderedDict[int | None, Visibility] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _masks: OrderedDict[Hashable, NDArray[np.bool_]] = field(default_factory=OrderedDict)
    _norms: OrderedDict[tuple[float, ...], NDArray[np.float64]] = field(default_factory=OrderedDict)
    _lengths: dict[tuple[float, float], NDArray[np.float64]] = field(default_factory=dict)

    def visibility(self, cutoff: int | None) -> Visibility:
        """What is visible at ``cutoff`` (microseconds since 1970 UTC), or now when it is None."""
        with self._lock:
            found = self._visible.get(cutoff)
            if found is not None:
                self._visible.move_to_end(cutoff)
                return found
        made = self._see(cutoff)
        with self._lock:
            self._visible[cutoff] = made
            while len(self._visible) > MOST_VISIBILITIES:
                self._visible.popitem(last=False)
        return made

    def remembered_mask(self, key: Hashable, answer: Callable[[], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """A filter's mask by record id, asked for once in this state. The mask must not be changed."""
        with self._lock:
            found = self._masks.get(key)
            if found is not None:
                self._masks.move_to_end(key)
                return found
        made = answer()
        with self._lock:
            self._masks[key] = made
            while len(self._masks) > MOST_MASKS:
                self._masks.popitem(last=False)
        return made

    def norms(self, visibility: Visibility, settings: RankingSettings) -> NDArray[np.float64]:
        """BM25's length norm of every record, given the average length of what is visible."""
        statistics = visibility.statistics(settings)
        key = (statistics.average_length, settings.k1, settings.b, settings.title_weight, settings.body_weight)
        with self._lock:
            found = self._norms.get(key)
        if found is None:
            found = length_norms(self.lengths(settings), statistics, settings)
            with self._lock:
                self._norms[key] = found
                while len(self._norms) > MOST_NORMS:
                    self._norms.popitem(last=False)
        return found

    def lengths(self, settings: RankingSettings) -> NDArray[np.float64]:
        """Weighted length of every record, in words."""
        key = (settings.title_weight, settings.body_weight)
        with self._lock:
            found = self._lengths.get(key)
            if found is None:
                found = key[0] * self.columns.title_words + key[1] * self.columns.body_words
                self._lengths = {key: found}
            return found

    def _see(self, cutoff: int | None) -> Visibility:
        columns = self.columns
        if cutoff is None:
            mask = columns.visible_until == NEVER
        else:
            mask = (columns.visible_from <= cutoff) & (columns.visible_until > cutoff)
        return Visibility(
            mask,
            int(np.count_nonzero(mask)),
            int(columns.title_words.sum(where=mask, dtype=np.int64)),
            int(columns.body_words.sum(where=mask, dtype=np.int64)),
            int(columns.digest.sum(where=mask, dtype=np.uint64)),
        )

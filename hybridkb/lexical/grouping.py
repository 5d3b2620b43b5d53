"""What a query looks for, as the scorer takes it: each unit's words of the vocabulary, joined to one posting list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridkb.database import Connection
from hybridkb.lexical.groups import GroupPostings, join_words
from hybridkb.lexical.postings import ByteBoundCache, PostingReader
from hybridkb.lexical.ranking import RankingSettings
from hybridkb.lexical.scorer import ScoredGroup
from hybridkb.lexical.vocabulary import Key, Terms, terms_of_keys
from hybridkb.text import Group, Unit


class GroupReader:
    """Reads groups of words inside one read transaction.

    Args:
        connection: inside the transaction.
        postings: of single terms.
        settings: weights of fields and of kinds of groups.
        known: remembers groups of this very state of the library.
    """

    def __init__(
        self,
        connection: Connection,
        postings: PostingReader,
        settings: RankingSettings,
        known: ByteBoundCache[Key, GroupPostings],
    ) -> None:
        self._connection = connection
        self._postings = postings
        self._settings = settings
        self._known = known

    def of_units(self, units: Sequence[Unit]) -> tuple[list[ScoredGroup], dict[str, int]]:
        """Distinct groups in query order, and the units that each word of the vocabulary matches."""
        belongs: dict[Key, int] = {}
        first: dict[Key, tuple[Group, float]] = {}
        pieces: dict[Key, list[Key]] = {}
        for number, unit in enumerate(units):
            whole: list[Key] = []
            for group in unit.groups:
                key = key_of(group)
                belongs[key] = belongs.get(key, 0) | 1 << number
                first.setdefault(key, (group, self._weight(group, unit)))
                if group.kind == "whole":
                    whole = pieces.setdefault(key, [])
                elif group.kind == "piece" and key not in whole:
                    whole.append(key)
        terms = terms_of_keys(self._connection, belongs)
        postings = self._joined(terms)
        places = {key: place for place, key in enumerate(first)}
        groups = []
        for key, (group, weight) in first.items():
            by_stem = belongs.get(("stem", group.stem), 0) if group.kind == "exact" else 0
            groups.append(
                ScoredGroup(
                    kind=key[0],
                    units=belongs[key],
                    weight=weight * self._settings.repeated(belongs[key].bit_count()),
                    covered=by_stem & belongs[key] == belongs[key],
                    pieces=tuple(places[piece] for piece in pieces.get(key, ())),
                    postings=postings[key],
                )
            )
        return groups, words_of(belongs, terms)

    def of_stems(self, stems: Sequence[str]) -> dict[str, GroupPostings]:
        """All words with each of these stems, as one posting list."""
        keys = [("stem", stem) for stem in stems]
        return {stem: found for (_, stem), found in self._joined(terms_of_keys(self._connection, keys)).items()}

    def _joined(self, terms: Mapping[Key, Terms]) -> dict[Key, GroupPostings]:
        """Each group's words as one posting list."""
        joined = {key: found for key in terms if (found := self._known.get(key)) is not None}
        rest = [key for key in terms if key not in joined]
        postings = iter(self._postings.read([term_id for key in rest for term_id, _ in terms[key]]))
        for key in rest:
            joined[key] = join_words([next(postings) for _ in terms[key]], self._settings)
            self._known.put(key, joined[key])
        return joined

    def _weight(self, group: Group, unit: Unit) -> float:
        if group.kind == "exact":
            # A word that is not sought by its stem too (CJK pairs) counts as much as one that is.
            stemmed = any(other.kind == "stem" and other.stem == group.stem for other in unit.groups)
            return self._settings.exact_weight if stemmed else self._settings.stem_weight
        return {
            "stem": self._settings.stem_weight,
            "whole": self._settings.whole_weight,
            "piece": self._settings.piece_weight,
            "prefix": self._settings.stem_weight,
        }[group.kind]


def key_of(group: Group) -> Key:
    """What makes two groups the same: their kind, and what chooses their words."""
    return group.kind, group.stem if group.kind == "stem" else group.word


def words_of(belongs: Mapping[Key, int], terms: Mapping[Key, Terms]) -> dict[str, int]:
    """Every word of the vocabulary that is in a group, and the bit set of the units it matches."""
    members: dict[str, int] = {}
    for key, its_units in belongs.items():
        for _, word in terms[key]:
            members[word] = members.get(word, 0) | its_units
    return members

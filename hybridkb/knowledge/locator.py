"""The stable address of anything a hit can point to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args
from uuid import UUID

from hybridkb.errors import InvalidInput

OwnerKind = Literal["item", "source", "artifact"]

_OWNER_KINDS = get_args(OwnerKind)


@dataclass(frozen=True, slots=True)
class Locator:
    """Address of an owner, or of a member (tree node, chunk) inside it.

    Locators are ordered by the UTF-8 bytes of ``str(locator)``.
    """

    owner_kind: OwnerKind
    owner_id: UUID
    member_id: str | None = None

    def __post_init__(self) -> None:
        if self.owner_kind not in _OWNER_KINDS:
            raise InvalidInput(
                f"a locator starts with item, source or artifact, not {self.owner_kind!r}", field="owner_kind"
            )
        if self.member_id is not None:
            _check_member_id(self.member_id)

    @classmethod
    def parse(cls, text: str) -> Locator:
        """Read back what ``str()`` wrote: ``item:UUID``, ``item:UUID#node``, ``artifact:UUID#chunk``.

        Raises:
            InvalidInput: the text is not a locator.
        """
        owner_kind, colon, rest = text.partition(":")
        owner_id, _, member_id = rest.partition("#")
        try:
            return cls(owner_kind, UUID(owner_id), member_id or None)  # type: ignore[arg-type]
        except ValueError:
            raise InvalidInput(
                f"{text!r} is not a locator; write item:UUID, item:UUID#node or artifact:UUID#passage", field="locator"
            ) from None

    def __str__(self) -> str:
        address = f"{self.owner_kind}:{self.owner_id}"
        return address if self.member_id is None else f"{address}#{self.member_id}"

    def __lt__(self, other: Locator) -> bool:
        return str(self).encode() < str(other).encode()


def _check_member_id(member_id: str) -> None:
    if not member_id:
        raise InvalidInput("a member id cannot be empty; leave it out to mean the owner", field="member_id")
    if "\0" in member_id:
        raise InvalidInput(f"the member id {member_id!r} holds a NUL character; take it out", field="member_id")
    try:
        member_id.encode()
    except UnicodeEncodeError:
        raise InvalidInput(
            f"the member id {member_id!r} holds a lone surrogate, which UTF-8 cannot store", field="member_id"
        ) from None

"""A dict that cannot be changed, so that a frozen model is frozen all the way down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A dict without its changing methods; hashable when its values are."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("knowledge is immutable; make a changed copy with model_copy(update={...})")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Callable[[dict[K, V]], FrozenDict[K, V]], tuple[dict[K, V]]]:
        return type(self), (dict(self),)

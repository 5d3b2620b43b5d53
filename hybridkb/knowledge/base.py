"""The base of all knowledge models: frozen, closed to unknown fields, and one way in.

Pydantic's ``ValidationError`` becomes :class:`~hybridkb.errors.InvalidInput` at the
doors a caller uses (the constructor, ``model_validate``, ``model_validate_json``,
``model_copy``). Nested models are validated inside pydantic, so a fault keeps its
full path, and a model used inside someone else's pydantic model behaves as theirs do.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.faults import as_invalid_input
from hybridkb.knowledge.times import parse_instant

MAX_TEXT_CHARACTERS = 16 * 1024 * 1024
"""The most characters one text field may hold."""

MAX_NAME_CHARACTERS = 1000
"""The most characters a tag, a node id or another name may hold."""


class KnowledgeModel(BaseModel):
    """A frozen model without unknown fields, whose faults are told as InvalidInput."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        str_max_length=MAX_TEXT_CHARACTERS,
        allow_inf_nan=False,
        revalidate_instances="subclass-instances",  # fields that only a subclass has would be lost in storage
        populate_by_name=True,  # canonical JSON names fields, also where a subclass gives them an alias
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )

    def __init__(self, /, **data: Any) -> None:
        """Make the model from its fields.

        Raises:
            InvalidInput: a field is missing, unknown or of the wrong kind; says which and how to mend it.
        """
        __tracebackhide__ = True
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise as_invalid_input(error, type(self)) from None

    # Pydantic may go on validating nested models without calling this constructor for each.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Make the model from a mapping of fields; see :meth:`pydantic.BaseModel.model_validate`.

        Raises:
            InvalidInput: as the constructor.
        """
        try:
            return super().model_validate(obj, **options)
        except ValidationError as error:
            raise as_invalid_input(error, cls) from None

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Make the model from a JSON object; see :meth:`pydantic.BaseModel.model_validate_json`.

        Raises:
            InvalidInput: as the constructor, or the text is not JSON.
        """
        try:
            return super().model_validate_json(json_data, **options)
        except ValidationError as error:
            raise as_invalid_input(error, cls) from None

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy, with some fields changed; unlike pydantic's own, the changes are validated.

        Raises:
            InvalidInput: a changed field is not acceptable.
        """
        if not update:
            return super().model_copy(deep=deep)
        return type(self).model_validate({**self.__dict__, **update})


def _read_instant(value: Any) -> datetime:
    try:
        return parse_instant(value, rounding="up")
    except InvalidInput as error:
        raise PydanticCustomError("instant", "{reason}", {"reason": str(error)}) from None


def _check_name(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError("blank", "is empty; give it a name or leave it out")
    if len(value) > MAX_NAME_CHARACTERS:
        raise PydanticCustomError(
            "name_too_long",
            "has {length} characters, at most {limit} are allowed",
            {"length": len(value), "limit": MAX_NAME_CHARACTERS},
        )
    if any(character < " " for character in value):
        raise PydanticCustomError("control", "holds a control character (NUL, a line break or the like); take it out")
    return value


def _check_unique(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _order_set(value: Any) -> Any:
    return sorted(value) if isinstance(value, (set, frozenset)) and all(isinstance(v, str) for v in value) else value


def _read_day(value: Any) -> Any:
    if isinstance(value, datetime):
        raise PydanticCustomError("day", "is a calendar day; give a date or YYYY-MM-DD, for example value.date()")
    if isinstance(value, date):
        return value.isoformat()
    return value


def _check_day(value: str) -> str:
    try:
        if date.fromisoformat(value).isoformat() == value:  # fromisoformat also reads weeks and 20240301
            return value
    except ValueError:
        pass
    raise PydanticCustomError("day", "is not a calendar day; write YYYY-MM-DD")


Instant = Annotated[datetime, BeforeValidator(_read_instant)]
"""A moment in UTC. Naive datetimes and dates alone are refused; finer than a microsecond is rounded up."""

Name = Annotated[str, AfterValidator(_check_name)]
"""A short text on one line, such as a tag: not blank, no control characters."""

Names = Annotated[tuple[Name, ...], BeforeValidator(_order_set), AfterValidator(_check_unique)]
"""Names in the order given, each once; a set comes in sorted, so that its order does not depend on the process."""

Day = Annotated[str, BeforeValidator(_read_day), AfterValidator(_check_day)]
"""A calendar day as ISO text ``YYYY-MM-DD``; dates are accepted."""

"""The settings of a summary: which model at which service, and every limit on what it may use."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal
from urllib.parse import urlsplit

from hybridkb.embedders.service_shown import environment, shown_address
from hybridkb.errors import InvalidInput
from hybridkb.papers.summary_prompt import PROMPT_VERSION

DEFAULT_MODEL = "gpt-4o-mini"
PRODUCER = "hybridkb.papers.summary"
PRODUCER_VERSION = "1"
OPENAI_HOST = "api.openai.com"


LEAST_TOOL_CHARACTERS = 1_000
"""Below this there would be no room in a tool's answer for what it says besides the text of the paper."""

_LEAST = {"retries": 0, "tool_characters": LEAST_TOOL_CHARACTERS}


@dataclass(frozen=True, slots=True)
class SummaryLimits:
    """What one summary may use, and what it must be. Code checks every one; the model is only told of them.

    Attributes:
        model_calls: requests to the service, those that failed and those for parts included.
        tool_calls: tools that the model asks for, unknown ones included.
        concurrency: requests under way at the same time.
        input_tokens: tokens read by the model, over all requests.
        output_tokens: tokens written by the model, over all requests.
        request_tokens: tokens of one request; not more than the model can read at once.
        answer_tokens: tokens of one answer; sent as ``max_tokens``.
        tool_characters: characters that one tool answers, and of the list of passages in the first message; 1,000 or
            more.
        argument_characters: characters of the arguments of one tool call.
        response_bytes: bytes of one response of the service.
        seconds: wall-clock time of the whole summary.
        request_seconds: wall-clock time of one request.
        retries: further attempts of one request that the service could not answer.
        answers: answers that may be refused until the summary is given up.
        cited_chunks: passages that must be cited, or all if the paper has fewer.
        cited_pages: pages that must be cited, or all if the passages stand on fewer.
        most_cited: passages that may be cited.
        least_characters: characters that a summary has at least.
        most_characters: characters that a summary has at most.
    """

    model_calls: int = 24
    tool_calls: int = 64
    concurrency: int = 4
    input_tokens: int = 600_000
    output_tokens: int = 32_000
    request_tokens: int = 100_000
    answer_tokens: int = 4_000
    tool_characters: int = 16_000
    argument_characters: int = 4_000
    response_bytes: int = 4_000_000
    seconds: float = 300.0
    request_seconds: float = 90.0
    retries: int = 3
    answers: int = 4
    cited_chunks: int = 3
    cited_pages: int = 2
    most_cited: int = 40
    least_characters: int = 100
    most_characters: int = 6_000

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            InvalidInput: one is out of range, or two contradict each other.
        """
        for one in fields(self):
            value = getattr(self, one.name)
            is_whole = isinstance(one.default, int)
            least = _LEAST.get(one.name, 1 if is_whole else 0.001)
            if (
                isinstance(value, bool)
                or not isinstance(value, int if is_whole else (int, float))
                or not value >= least
            ):
                what = "whole number" if is_whole else "number"
                raise InvalidInput(f"limit {one.name} is {value!r}; give a {what}, at least {least:,}", field=one.name)
        if self.least_characters > self.most_characters:
            raise InvalidInput("least_characters is above most_characters", field="least_characters")
        if self.cited_chunks > self.most_cited:
            raise InvalidInput("cited_chunks is above most_cited", field="cited_chunks")


ONLY_ENDING = frozenset({"concurrency", "seconds", "request_seconds", "retries", "response_bytes"})
"""Limits that end a run or pace it, and leave what a finished one says as it is: not part of its configuration."""


@dataclass(frozen=True, slots=True)
class SummaryConfig:
    """Which model makes the summary, and within which limits.

    Attributes:
        model: default HYBRIDKB_SUMMARY_MODEL, else gpt-4o-mini.
        base_url: of an OpenAI-compatible service; default HYBRIDKB_SUMMARY_URL, else OPENAI_BASE_URL, else OpenAI.
        api_key: default HYBRIDKB_SUMMARY_KEY, else OPENAI_API_KEY; a service of your own may need none. Kept out of
            the repr, of errors, and of what is stored.
        limits: what it may use.
        temperature: sent with each request; None leaves it to the service.
        structured: how the answer's form is asked for: ``"schema"`` (response_format with a JSON schema), ``"plain"``
            (in words), ``"auto"`` (schema, and in words once the service refuses it).
        variant: a label of your own; another one makes a sibling.
    """

    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    limits: SummaryLimits = SummaryLimits()
    temperature: float | None = None
    structured: Literal["auto", "schema", "plain"] = "auto"
    variant: str = ""

    def __post_init__(self) -> None:
        """Check what can be checked without the environment.

        Raises:
            InvalidInput: a setting of another type, an address that is none, an unknown form, a temperature out of
                range, a key that is none.
        """
        for name in ("model", "base_url", "api_key", "variant"):
            if not isinstance(getattr(self, name), str if name == "variant" else (str, type(None))):
                raise InvalidInput(f"{name} is no text", field=name)
        if not isinstance(self.limits, SummaryLimits):
            raise InvalidInput("limits are a SummaryLimits", field="limits")
        if self.structured not in ("auto", "schema", "plain"):
            raise InvalidInput(f"structured is {self.structured!r}; use auto, schema or plain", field="structured")
        if self.temperature is not None:
            is_number = isinstance(self.temperature, int | float) and not isinstance(self.temperature, bool)
            if not is_number or not 0 <= self.temperature <= 2:
                raise InvalidInput(f"temperature is {self.temperature!r}; give 0 to 2", field="temperature")
        _check_address(self.base_url)
        _check_key(self.api_key)


@dataclass(frozen=True, slots=True)
class SummaryService:
    """Where the model is.

    Attributes:
        model: its name. base_url: address up to ``/v1``; None for OpenAI's own. api_key: secret.
    """

    model: str
    base_url: str | None
    api_key: str | None = field(repr=False)

    @property
    def address(self) -> str:
        """Scheme, host and path, for messages."""
        return shown_address(self.base_url)

    @property
    def host(self) -> str:
        """The host alone."""
        return (urlsplit(self.base_url).hostname or "") if self.base_url else OPENAI_HOST


def service_of(config: SummaryConfig) -> SummaryService:
    """Fill in from the environment what the settings leave out.

    Raises:
        InvalidInput: the environment's address is none, or its key.
    """
    base_url = config.base_url or environment("HYBRIDKB_SUMMARY_URL", "OPENAI_BASE_URL")
    api_key = config.api_key or environment("HYBRIDKB_SUMMARY_KEY", "OPENAI_API_KEY")
    _check_address(base_url)
    _check_key(api_key)
    return SummaryService(
        model=config.model or environment("HYBRIDKB_SUMMARY_MODEL") or DEFAULT_MODEL,
        base_url=base_url,
        api_key=api_key,
    )


def summary_configuration(config: SummaryConfig) -> dict[str, Any]:
    """The exact settings that are stored with a summary: all that may change what it says, and no key."""
    service = service_of(config)
    return {
        "model": service.model,
        "service": service.host,
        "prompt_version": PROMPT_VERSION,
        "temperature": None if config.temperature is None else abs(float(config.temperature)),  # 0, 0.0, -0.0 are one
        "structured": config.structured,
        "variant": config.variant,
        "limits": {name: value for name, value in asdict(config.limits).items() if name not in ONLY_ENDING},
    }


def _check_key(api_key: str | None) -> None:
    """Refuse what cannot be sent, such as a key with the end of its line; it is not repeated."""
    if api_key and not all("!" <= one <= "~" for one in api_key):
        raise InvalidInput(
            "the key of the model's service holds a blank, the end of a line or a letter that no key has",
            field="api_key",
        )


def _check_address(base_url: str | None) -> None:
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise InvalidInput("base_url is no address of a service; write http(s)://host[:port]/v1", field="base_url")

"""What is told of a service without telling its secrets, and how long it asks us to wait."""

from __future__ import annotations

import os
import re
import time
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

_KEY_LIKE = re.compile(r"\b(sk|key|Bearer)[-_ ][\w*.-]{6,}")
_TELLING = 8
"""So many characters of a key in a row are never shown."""


def shown_address(base_url: str | None) -> str:
    """Scheme, host and path; a user, password or query in the address is left out. None is OpenAI's own."""
    if base_url is None:
        return "api.openai.com"
    parts = urlsplit(base_url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def without_key(text: str, api_key: str | None) -> str:
    """Return the text with the key, parts of it, and what looks like a key, blotted out."""
    if api_key:
        text = text.replace(api_key, "***")
        for start in range(len(api_key) - _TELLING + 1):
            text = text.replace(api_key[start : start + _TELLING], "***")
    return _KEY_LIKE.sub("***", text)


def retry_after(error: Exception) -> float | None:
    """Return the seconds the service asks us to wait: `retry-after-ms`, or `Retry-After` as seconds or as a date."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = str(headers.get("retry-after", ""))
        return max(0.0, float(value)) if _is_number(value) else _seconds_until(value)
    except (TypeError, ValueError):
        return None


def _is_number(value: str) -> bool:
    return re.fullmatch(r"\s*\d+(\.\d+)?\s*", value) is not None


def _seconds_until(date: str) -> float | None:
    return max(0.0, parsedate_to_datetime(date).timestamp() - time.time()) if date else None


def environment(*names: str) -> str | None:
    """Return the first of these environment variables that is set and not empty."""
    return next((value for name in names if (value := os.environ.get(name))), None)

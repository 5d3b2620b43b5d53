"""A scripted service, a small paper made in code, and settings that keep every run short."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hybridkb.papers import summary_gate
from support.scripted_model import ScriptedModel


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HYBRIDKB_SUMMARY_URL", "HYBRIDKB_SUMMARY_MODEL", "HYBRIDKB_SUMMARY_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(summary_gate, "_FIRST_WAIT", 0.001)


@pytest.fixture
def model() -> Iterator[Any]:
    pytest.importorskip("agents", reason="the extra papers is not installed")
    with ScriptedModel() as running:
        yield running

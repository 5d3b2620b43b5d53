"""A connection that answered a moment ago is not asked whether it is alive, and never trusted once another broke."""

from __future__ import annotations

import threading
from typing import Any

import pytest

pytest.importorskip("psycopg")

from hybridkb.database import postgres_sessions
from hybridkb.database.postgres_sessions import TRUSTED_SECONDS, Trusted


class Raw:
    """As much of a connection as trust looks at."""

    closed = False


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(postgres_sessions.time, "monotonic", lambda: now[0])
    return now


def test_connection_is_trusted_for_a_moment_after_it_answered(clock: list[float]) -> None:
    trusted, raw = Trusted(), connection()
    assert raw not in trusted
    trusted.used(raw)
    assert raw in trusted
    clock[0] += TRUSTED_SECONDS / 2
    assert raw in trusted
    clock[0] += TRUSTED_SECONDS / 2
    assert raw not in trusted


def test_one_that_broke_takes_the_trust_from_all(clock: list[float]) -> None:
    trusted, raw, other = Trusted(), connection(), connection()
    trusted.used(raw)
    other.closed = True
    trusted.used(other)
    assert raw not in trusted
    assert other not in trusted
    clock[0] += 0.001
    trusted.used(raw)
    assert raw in trusted


def test_only_a_thread_that_asks_again_trusts() -> None:
    trusted, seen = Trusted(), []
    assert not trusted.by_this_thread
    with trusted.trusting():
        with trusted.trusting():
            assert trusted.by_this_thread
        assert trusted.by_this_thread
        other = threading.Thread(target=lambda: seen.append(trusted.by_this_thread))
        other.start()
        other.join()
    assert seen == [False]
    assert not trusted.by_this_thread


def connection() -> Any:
    return Raw()

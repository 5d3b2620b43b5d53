"""The lock of a job on a server."""

from __future__ import annotations

from collections.abc import Callable

from hybridkb.database import open_database


def test_a_job_may_follow_another_at_once(postgres: Callable[[], str]) -> None:
    address = postgres()
    one, two = open_database(address), open_database(address)
    for _ in range(20):
        for database in (one, two):
            with database.job_lock("sync", wait_seconds=0):
                pass
    one.close()
    two.close()

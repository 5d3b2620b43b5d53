"""What holds for every test: no settings from outside, no network beyond this machine, no chance.

Property tests try the same examples in every run; ``HYPOTHESIS_PROFILE=explore`` tries new ones.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("stable", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "stable"))

OUTSIDE = ("HYBRIDKB_", "OPENAI_")


@pytest.fixture(autouse=True, scope="session")
def sealed_environment() -> Iterator[None]:
    """Hide the user's own settings and keys, and refuse connections to other machines."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(OUTSIDE):
                patch.delenv(name)
        patch.setattr(socket.socket, "connect", _only_here(socket.socket.connect))
        yield


def _only_here(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        host = address[0] if isinstance(address, tuple) else "localhost"
        if host != "localhost" and not _is_loopback(host):
            raise OSError(f"tests reach no other machine, not even {host}")
        return connect(self, address)

    return guarded


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False

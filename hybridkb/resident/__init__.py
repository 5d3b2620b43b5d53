"""Copies of record columns in memory, brought up to the committed generation before each answer."""

from hybridkb.resident.follower import Follower
from hybridkb.resident.snapshot import Resident, Visibility

__all__ = ["Follower", "Resident", "Visibility"]

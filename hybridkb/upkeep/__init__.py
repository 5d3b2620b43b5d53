"""Is the library whole, how large is it, and how is it mended, packed and carried elsewhere?"""

from hybridkb.database import grant
from hybridkb.upkeep.check import CheckReport
from hybridkb.upkeep.finding import Finding
from hybridkb.upkeep.inventory import HeldFolder, HeldItem, Inventory
from hybridkb.upkeep.rebuild import RebuildReport
from hybridkb.upkeep.stats import LibraryStats, SpaceStats

__all__ = [
    "CheckReport",
    "Finding",
    "HeldFolder",
    "HeldItem",
    "Inventory",
    "LibraryStats",
    "RebuildReport",
    "SpaceStats",
    "grant",
]

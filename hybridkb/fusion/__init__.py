"""Two ranked lists to one, in a total order."""

from hybridkb.fusion.fusion import Fused, Fusion, LegShare, fuse, rank
from hybridkb.fusion.order import Names, in_order

__all__ = ["Fused", "Fusion", "LegShare", "Names", "fuse", "in_order", "rank"]

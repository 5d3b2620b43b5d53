"""Two ranked lists to one, in a total order."""

from hybridkb.fusion.fusion import Fused, Fusion, LegShare, fuse

__all__ = ["Fused", "Fusion", "LegShare", "fuse"]

"""Which records may be hits: one filter, checked once, compiled once, used by both legs."""

from hybridkb.filters.compile import CompiledFilter, compile_filters
from hybridkb.filters.filters import FILTER_NAMES, Filters

__all__ = ["FILTER_NAMES", "CompiledFilter", "Filters", "compile_filters"]

"""How does a library move between a file and a server, with nothing lost, and without a moment in which half of it
looks whole?"""

from hybridkb.copying.copying import CopyProgress, CopyReport, copy_library

__all__ = ["CopyProgress", "CopyReport", "copy_library"]

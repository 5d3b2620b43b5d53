"""Makes ``schema-2.db``: the library of ``schema-1.db`` in the second format, which adds ``folder`` and ``file``.

    python tests/formats/make_schema_2.py
"""

from __future__ import annotations

from pathlib import Path

from make_schema_1 import make

TARGET = Path(__file__).with_name("schema-2.db")

if __name__ == "__main__":
    TARGET.unlink(missing_ok=True)
    make(TARGET)
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")

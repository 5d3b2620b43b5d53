"""Sets ``roll_yield.txt`` as the PDF beside it: ``python examples/papers/make_paper.py``, in a checkout.

The paper was written for this project, so that its examples and its documentation need nobody else's.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parents[1] / "tests"


def paper() -> bytes:
    """The bytes of the PDF; the same each time."""
    sys.path.insert(0, str(TESTS))
    make_pdf = runpy.run_path(str(TESTS / "support" / "pdf_layout.py"))["make_pdf"]
    data: bytes = make_pdf((HERE / "roll_yield.txt").read_text(encoding="utf-8"))
    return data


if __name__ == "__main__":
    (HERE / "roll_yield.pdf").write_bytes(paper())

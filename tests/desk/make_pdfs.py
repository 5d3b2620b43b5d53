"""Sets the PDFs of ``examples/desk`` from the texts in ``pages``: ``python tests/desk/make_pdfs.py``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.pdf_layout import make_pdf

PAGES = Path(__file__).resolve().parent / "pages"
DESK = Path(__file__).resolve().parents[2] / "examples" / "desk"


def pdfs() -> dict[Path, bytes]:
    """Every PDF by the path it belongs to, relative to the desk folder."""
    return {
        path.relative_to(PAGES).with_suffix(".pdf"): make_pdf(path.read_text(encoding="utf-8"))
        for path in sorted(PAGES.glob("**/*.txt"))
    }


if __name__ == "__main__":
    for name, data in pdfs().items():
        (DESK / name).write_bytes(data)

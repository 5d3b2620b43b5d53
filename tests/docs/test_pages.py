"""The docs tell the truth: their code runs, their links lead somewhere, the command page is current."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from hybridkb import HybridLibrary
from hybridkb.knowledge import KnowledgeItem, read_items
from support.fake_embedder import HashEmbedder

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
SQL = re.compile(r"^```sql\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=page_id)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    namespace: dict[str, object] = {"__name__": "__docs__"}
    for number, block in enumerate(blocks(page), start=1):
        exec(compile(block, f"{page_id(page)}, block {number}", "exec", dont_inherit=True), namespace)


def test_sql_of_the_database_page_runs(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "desk.db", embedder=None) as library:
        items = (entry for _, entry in read_items(ROOT / "examples/items/notes.jsonl"))
        library.put_many([item for item in items if isinstance(item, KnowledgeItem)])
    statements = SQL.findall((ROOT / "docs" / "database.md").read_text(encoding="utf-8"))
    assert statements
    connection = apsw.Connection(str(tmp_path / "desk.db"), flags=apsw.SQLITE_OPEN_READONLY)
    for statement in statements:
        assert connection.execute(statement).fetchall()
    connection.close()


def test_sql_of_the_postgres_page_runs(postgres: Callable[[], str]) -> None:
    import psycopg

    address = postgres()
    with HybridLibrary.open(address, embedder=HashEmbedder(16)) as library:
        items = (entry for _, entry in read_items(ROOT / "examples/items/notes.jsonl"))
        library.put_many([item for item in items if isinstance(item, KnowledgeItem)])
    statements = SQL.findall((ROOT / "docs" / "postgres.md").read_text(encoding="utf-8"))
    assert statements
    plain, _, settings = address.partition("schema=")
    with psycopg.connect(plain.rstrip("?&"), autocommit=True) as raw:
        vectors = raw.execute(
            "SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace "
            "WHERE e.extname = 'vector'"
        ).fetchall()
        raw.execute("SELECT set_config('search_path', %s, false)", [f"{settings.partition('&')[0]}, {vectors[0][0]}"])
        for statement in statements:
            assert raw.execute(statement).fetchall(), statement


def test_first_hit_takes_at_most_fifteen_lines() -> None:
    first = blocks(ROOT / "README.md")[0]
    assert len([line for line in first.splitlines() if line.strip()]) <= 15


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_to_files(page: Path) -> None:
    lost = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert not lost


def test_readme_names_every_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert not [page.name for page in (ROOT / "docs").glob("*.md") if f"docs/{page.name}" not in readme]


def test_command_page_is_current() -> None:
    render = runpy.run_path(str(Path(__file__).with_name("generate_cli.py")))["render"]
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == render(), "run: make docs"

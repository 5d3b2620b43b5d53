"""The wheel holds what the tree holds: no room forgotten, no statement left behind, nothing deleted shipped."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = {"py.typed", "language-directions.npy", "minilm-vocab.txt", "desk-gold.jsonl"}
NOT_COPIED = {"build", "dist", "__pycache__", ".venv", ".git", ".demo"}


def files() -> list[Path]:
    """List the files of the checkout, uncommitted ones included, relative to its root."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
        found = [Path(name) for name in names if name]
    else:
        found = [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file()]
    wanted = [path for path in found if not NOT_COPIED.intersection(path.parts) and ".egg-info" not in str(path)]
    return sorted({path for path in wanted if (ROOT / path).is_file()})


def copy_to(target: Path) -> Path:
    """Copy those files under ``target`` and return it."""
    for path in files():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target / path)
    return target


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = copy_to(tmp_path_factory.mktemp("copy"))
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(copy)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    (found,) = out.glob("*.whl")
    return found


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_wheel_holds_every_module_and_statement(wheel: Path) -> None:
    expected = set()
    for path in files():
        if path.parts[0] == "hybridkb" and (path.suffix == ".py" or path.name in DATA):
            expected.add(path.as_posix())
        if path.parts[0] == "sql" and path.suffix in {".py", ".sql"}:
            expected.add(Path("hybridkb", path).as_posix())
    assert names_in(wheel) == expected


def test_wheel_carries_the_licence_and_the_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert any(name.endswith("licenses/LICENSE") for name in names)
        if (ROOT / "NOTICE").is_file():
            assert any(name.endswith("licenses/NOTICE") for name in names)
        (entry_points,) = (name for name in names if name.endswith("entry_points.txt"))
        assert "hybridkb = hybridkb.cli:main" in archive.read(entry_points).decode()


def test_wheel_asks_for_the_core_packages_only(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = archive.read(metadata).decode().splitlines()
    required = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    core = {line.split(">")[0].split("=")[0].strip().lower() for line in required if "extra ==" not in line}
    assert core == {"apsw", "numpy", "openai", "pydantic", "pystemmer", "sqlite-vec"}

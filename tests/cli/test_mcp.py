"""``hybridkb mcp``: what is refused before anything is served."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hybridkb import HybridLibrary
from hybridkb.cli import exit_codes
from hybridkb.cli.mcp import read_token
from hybridkb.cli.root import cli
from hybridkb.errors import InvalidInput

TOKEN = "a-token-of-the-desk-0123456789"


@pytest.fixture(autouse=True)
def logs_as_before() -> object:
    """The command sets up logging for its process; a test's process wants its own back."""
    root, ours = logging.getLogger(), logging.getLogger("hybridkb")
    handlers, level, our_level = root.handlers[:], root.level, ours.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    ours.setLevel(our_level)
    logging.captureWarnings(False)


def run(*arguments: str, **environment: str) -> Result:
    result = CliRunner().invoke(cli, ["--embedder", "none", *arguments], env={"HYBRIDKB_DATABASE": None, **environment})
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def file(tmp_path: Path) -> Path:
    HybridLibrary.open(tmp_path / "desk.db", embedder=None).close()
    return tmp_path / "desk.db"


def serve(file: Path, *more: str, **environment: str) -> Result:
    return run("-d", str(file), "mcp", "--transport", "http", "--port", "0", *more, **environment)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "desk.example"])
def test_other_machines_are_not_served_without_a_token(file: Path, host: str) -> None:
    result = serve(file, "--host", host)
    assert result.exit_code == exit_codes.INVALID
    assert "a token is needed: --token-env NAME or --token-file FILE" in result.stderr


@pytest.mark.parametrize(("more", "environment", "words"), [
    (["--token-env", "DESK_TOKEN"], {}, "DESK_TOKEN is not set or empty"),
    (["--token-env", "DESK_TOKEN"], {"DESK_TOKEN": "short"}, "16 or more ASCII characters"),
    (["--token-env", "DESK_TOKEN", "--token-file", "x"], {"DESK_TOKEN": TOKEN}, "not both"),
    (["--token-file", "no-such-file"], {}, "No such file"),
    (["--port", "70000"], {}, "70000"),
    (["--available-before", "yesterday"], {}, "yesterday"),
    (["--transport", "smoke"], {}, "smoke"),
])  # fmt: skip
def test_what_is_wrong_is_named(file: Path, more: list[str], environment: dict[str, str], words: str) -> None:
    result = serve(file, *more, **environment)
    assert result.exit_code == exit_codes.INVALID
    assert words in result.stderr
    assert TOKEN not in result.output


def test_a_token_is_read_from_where_it_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "token"
    file.write_text(f"\ufeff{TOKEN}  \nanother line\n", encoding="utf-8")
    file.chmod(0o600)
    assert read_token(None, file) == TOKEN
    assert not caplog.records
    file.chmod(0o644)
    assert read_token(None, file) == TOKEN
    if sys.platform != "win32":
        assert "can be read by others" in caplog.text
    monkeypatch.setenv("DESK_TOKEN", TOKEN)
    assert read_token("DESK_TOKEN", None) == TOKEN
    assert read_token(None, None) is None
    file.write_text("\n")
    with pytest.raises(InvalidInput, match="is empty"):
        read_token(None, file)


def test_a_missing_library_and_a_missing_folder_are_named(tmp_path: Path) -> None:
    missing = serve(tmp_path / "none.db")
    assert missing.exit_code == exit_codes.DATABASE
    assert "no such library" in missing.stderr
    folder = serve(tmp_path / "none.db", "--folder", str(tmp_path / "nowhere"))
    assert folder.exit_code == exit_codes.INVALID
    assert "there is no folder" in folder.stderr
    unnamed = run("mcp", "--transport", "http", "--folder", str(tmp_path))
    assert unnamed.exit_code == exit_codes.INVALID
    assert "HYBRIDKB_DATABASE" in unnamed.stderr


def test_the_missing_package_names_its_extra(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    result = serve(file)
    assert result.exit_code == exit_codes.MISSING_EXTRA
    assert 'pip install "hybridkb[mcp]"' in result.stderr

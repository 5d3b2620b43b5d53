"""Makes ``schema-3.db``: the library of ``schema-1.db`` in the third format, which adds ``run`` and ``run_figure``.

    python tests/formats/make_schema_3.py
"""

from __future__ import annotations

from pathlib import Path

from make_schema_1 import make

from hybridkb.database.sqlite_database import SqliteDatabase
from hybridkb.store.runs import Figure, Run, add_run

TARGET = Path(__file__).with_name("schema-3.db")


def add_evaluation(path: Path) -> None:
    """Give the library a promoted run."""
    run = Run(
        kind="evaluate", target="serving", started_at=1, finished_at=2, fingerprint="f" * 32, settings_digest="5" * 16,
        settings={"language": "english"}, space="fake", versions={"hybridkb": "0.1.0"}, items=7, records=8, pending=2,
        gold_digest="9" * 16, gold_name="gold.jsonl", k=5, mode="hybrid", protocol={"version": 1}, queries=1,
        negatives=0, tolerance=0.0, promote=True, promoted_at=3, note="first",
        figures=(Figure("hybrid", "recall", 0.5, 0.25, 0.75),),
    )  # fmt: skip
    database = SqliteDatabase(path)
    with database.write() as connection:
        add_run(connection, run, {"hybrid": {"a" * 16: {"recall": 0.5}}})
    database.close()


if __name__ == "__main__":
    TARGET.unlink(missing_ok=True)
    make(TARGET)
    add_evaluation(TARGET)
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")

"""An engine in a process of its own, that is asked from here: no engine's memory disturbs another's times.

The parent sends a list of (query, case); the child asks and times them. A case's times say how long the child waited.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from corpus import Query
from engines import Case, Engine, Ours, Recipe
from measure import milliseconds, spread

Asked = Sequence[tuple[Query, Case]]


class Apart:
    """An engine behind a pipe. A context manager."""

    def __init__(self, engine: str, path: Path | str, queries: Sequence[Query]) -> None:
        """Start a process that opens the file or address; ``queries`` are those to come."""
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, engine, path, list(queries)), daemon=True)
        self._process.start()
        theirs.close()

    def timed(self, asked: Asked, repetitions: int, *, warm: bool = True) -> dict[str, float]:
        """Ask everything once to warm up, then again and again; the spread of the queries' median times.

        Without ``warm``, the first time counts.
        """
        self._pipe.send((list(asked), repetitions, warm))
        found = self._pipe.recv()
        if isinstance(found, BaseException):
            raise found
        return dict(found)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pipe.close()
        self._process.join(60)
        self._process.kill()


def _serve(pipe: Connection, name: str, path: Path | str, queries: list[Query]) -> None:
    engine: Engine
    if name == "hybridkb":
        engine = ours = Ours(path)
        ours.expect(queries)
    else:
        engine = Recipe(Path(path))
    while True:
        try:
            asked, repetitions, warm = pipe.recv()
        except EOFError:
            break
        try:
            pipe.send(timed(engine, asked, repetitions, warm=warm))
        except Exception as error:  # the parent raises it
            pipe.send(error)
    engine.close()


def timed(engine: Engine, asked: Asked, repetitions: int, *, warm: bool) -> dict[str, float]:
    """See :meth:`Apart.timed`; ``cpu`` is the processor time of one query, the mean over all."""
    if warm:
        for query, case in asked:
            engine.ask(query, case)
    computed = time.process_time()
    rounds = [[milliseconds(partial(engine.ask, *one)) for one in asked] for _ in range(repetitions)]
    computed = (time.process_time() - computed) / (repetitions * len(asked))
    return {**spread(np.median(np.array(rounds), axis=0).tolist()), "cpu": round(computed * 1e3, 3)}

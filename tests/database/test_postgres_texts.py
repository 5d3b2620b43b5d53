"""Texts on PostgreSQL: NUL is kept, and what only looks like its escape in JSON stays what it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from hybridkb import HybridLibrary
from hybridkb.database import Database, open_database

WORDS = ("a\0b", "\0\0", "[\0]", "a\\u0000b", "[\\u0000]", "\\\\u0000", "\\\0", '["\\u0000"]', "plain", "\\")


@pytest.fixture
def database(postgres: Callable[[], str]) -> Iterator[Database]:
    address = postgres()
    HybridLibrary.open(address, embedder=None).close()
    with closing(open_database(address)) as opened:
        yield opened


def test_texts_come_back_as_they_went(database: Database) -> None:
    with database.write() as connection:
        connection.many("lexical/insert_term", [(number, word, word) for number, word in enumerate(WORDS, 1)])
        connection.rows("library/set", {"name": "[a list", "value": json.dumps(WORDS)})
    with database.read() as connection:
        for number, word in enumerate(WORDS, 1):
            assert connection.rows("lexical/term_of_word", {"word": word}) == [(number, word)]
        assert json.loads(connection.value("library/get", {"name": "[a list"})) == list(WORDS)


def test_lists_of_texts_find_each_of_them(database: Database) -> None:
    with database.write() as connection:
        connection.many("lexical/insert_term", [(number, word, word) for number, word in enumerate(WORDS, 1)])
        found = connection.rows("lexical/terms_by_word", {"words": json.dumps(WORDS)})
        assert sorted(found) == sorted((word, number) for number, word in enumerate(WORDS, 1))
        for number, word in enumerate(WORDS, 1):
            assert connection.rows("lexical/terms_by_word", {"words": json.dumps([word])}) == [(word, number)]

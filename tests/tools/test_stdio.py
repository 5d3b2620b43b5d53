"""Standard streams belong to the protocol; the server ends with its input, or when it is asked to, whatever runs."""

from __future__ import annotations

import json
import os
import pty
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from tools.desks import desk_items
from tools.servers import Pipe

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals of POSIX")

NOISY = (str(Path(__file__).with_name("noisy.py")),)


def test_nothing_but_the_protocol_reaches_standard_output(desk_file: Path) -> None:
    """With a terminal for standard error, so that progress bars are drawn, and with every warning on."""
    master, slave = pty.openpty()
    shown: list[bytes] = []

    def listen() -> None:
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:
                return
            if not data:
                return
            shown.append(data)

    reader = threading.Thread(target=listen, daemon=True)
    reader.start()
    environment = {"PYTHONWARNINGS": "always", "TERM": "xterm"}
    with Pipe(desk_file, program=NOISY, stderr=slave, environment=environment) as server:
        os.close(slave)
        for number in range(2, 4):
            server.call(number, "shout")
            answer = server.answer()
            assert answer["id"] == number
            assert answer["result"]["structuredContent"] == {"child_read": 0}
        server.call(5, "search_knowledge", query="copper")
        assert server.answer()["id"] == 5
        assert server.end()[:2] == (0, [])
    reader.join(10)
    told = b"".join(shown).decode()
    for noise in ("print", "sys.stdout", "the descriptor", "C", "a child", "a warning", "a bar"):
        assert f"NOISE from {noise}" in told


def test_it_ends_with_its_input_and_answers_what_can_be_answered_soon(desk_file: Path) -> None:
    with Pipe(desk_file, program=NOISY) as server:
        server.call(2, "wait", seconds=600)
        for number in range(3, 6):
            server.call(number, "search_knowledge", query=f"copper {number}", limit=1)
        code, rest, errors = server.end()
    assert code == 0
    assert sorted(message["id"] for message in rest if "result" in message) == [3, 4, 5]
    assert [message["error"]["message"] for message in rest if "error" in message] == ["Connection closed"]
    assert "Traceback" not in errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_although_it_reads_and_a_call_runs(desk_file: Path, number: signal.Signals) -> None:
    with Pipe(desk_file, program=NOISY) as server:
        server.call(2, "wait", seconds=600)
        server.call(3, "knowledge_status")
        assert server.answer()["id"] == 3
        server.process.send_signal(number)
        code, rest, errors = server.finish()
    assert (code, rest) == (0, [])
    assert "Traceback" not in errors


def test_it_ends_when_nobody_reads_its_answers(desk_file: Path) -> None:
    reading, writing = os.pipe()
    with Pipe(desk_file, stdout=writing) as server:
        os.close(writing)
        while b"\n" not in os.read(reading, 65536):
            pass
        os.close(reading)
        server.call(2, "search_knowledge", query="copper")
        code, _, errors = server.finish()
    assert code == 0, errors
    assert "Traceback" not in errors


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipe]:
    """One server for tests that leave it as it was; it still ends well."""
    path = tmp_path_factory.mktemp("shared") / "desk.db"
    with HybridLibrary.open(path, embedder=None) as library:
        library.put_many(desk_items())
    with Pipe(path, program=NOISY) as server:
        yield server
        assert server.end()[0] == 0


def answer_to(server: Pipe, number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The answer to a request, and the messages before it."""
    messages = [server.answer()]
    while messages[-1].get("id") != number:
        messages.append(server.answer())
    return messages[-1], messages[:-1]


def test_a_cancelled_call_is_not_answered_and_others_go_on(shared: Pipe) -> None:
    shared.call(20, "wait", seconds=600)
    shared.send(None, "notifications/cancelled", requestId=20, reason="too slow")
    shared.call(21, "search_knowledge", query="wheat", limit=1)
    answer, before = answer_to(shared, 21)
    assert "structuredContent" in answer["result"]
    assert all("result" not in one for one in before)


def test_slow_calls_do_not_hold_up_quick_ones(shared: Pipe) -> None:
    shared.call(30, "wait", seconds=600)
    shared.call(31, "search_knowledge", query="wheat")
    assert answer_to(shared, 31)[1] == []
    shared.send(None, "notifications/cancelled", requestId=30)


def test_lines_that_are_no_messages_are_passed_over(desk_file: Path) -> None:
    with Pipe(desk_file, program=NOISY) as server:
        for line in (b"\n", b"hello\n", b"\xff\xfe\n", b"[1, 2]\n", b'{"jsonrpc": "2.0"}\n', b"[" * 5_000 + b"\n"):
            server.write(line)
        server.write(b'{"jsonrpc":"2.0","id":40,"method":"' + b"x" * (5 * 1024 * 1024) + b'"}\n')
        server.call(41, "knowledge_status")
        assert answer_to(server, 41)[0]["result"]["structuredContent"]["items"] == 6
        code, _, errors = server.end()
    assert code == 0
    assert "longer than 4 MiB" in errors


@pytest.mark.parametrize(("given", "reason"), [
    (b'{"query": "half a character \\ud83d"}', "hex escape"),
    (b'{"query": "copper", "limit": ' + b"9" * 6_000 + b"}", "digits"),
    (b'{"query": "copper", "available_at_before": "2020-01-01", "available_at_before": null}', "stands twice"),
])  # fmt: skip
def test_a_request_that_cannot_be_read_is_answered(shared: Pipe, given: bytes, reason: str) -> None:
    """Or its client would wait for ever."""
    head = b'{"jsonrpc":"2.0","id":60,"method":"tools/call","params":{"name":"search_knowledge","arguments":'
    shared.write(head + given + b"}}\n")
    answer, _ = answer_to(shared, 60)
    assert answer["error"]["code"] == -32600
    assert reason in answer["error"]["message"]


@pytest.mark.parametrize("wrong", [b'"jsonrpc":"1.0"', b'"jsonrpc":"2.0","params":[1]', b'"params":{}'])
def test_a_request_of_another_protocol_is_answered(shared: Pipe, wrong: bytes) -> None:
    shared.write(b'{"id":"a","method":"ping",' + wrong + b"}\n")
    answer = shared.answer()
    while answer.get("id") != "a":
        answer = shared.answer()
    assert answer["error"]["code"] == -32600


def test_a_fault_inside_is_logged_and_not_told(desk_file: Path) -> None:
    with Pipe(desk_file, program=NOISY) as server:
        server.call(50, "crash")
        result = answer_to(server, 50)[0]["result"]
        code, _, errors = server.end()
    assert result["isError"]
    assert json.loads(result["content"][0]["text"])["error"] == "InternalError"
    assert "secret" not in json.dumps(result)
    assert code == 0
    assert "a secret of the server" in errors


def test_tools_that_write_are_not_served_unless_asked_for(shared: Pipe) -> None:
    shared.send(60, "tools/list")
    assert "change" not in {tool["name"] for tool in answer_to(shared, 60)[0]["result"]["tools"]}
    shared.call(61, "change")
    assert "started read-only" in answer_to(shared, 61)[0]["error"]["message"]

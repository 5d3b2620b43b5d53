"""An OpenAI-compatible `/v1/chat/completions` on loopback that says, calls or breaks what a test tells it to.

Without a script it is `good_reader()`: it reads passages, then answers with three citations. Replies that are scripted
(`model.script(refuse(429), call(("read_chunks", {"ids": ["c0001"]})))`) go to the next requests, one each.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

SUMMARY = (
    "The authors ask whether a simpler design can do the same work, describe what they built, and measure it against "
    "earlier systems. They report better figures at lower cost, and say where the comparison remains incomplete."
)
_LISTED = re.compile(r"^(?:<untrusted \w+>)?(\S+) \| pp?\. ([\d, ]+) \| \d+ characters", re.MULTILINE)
_SHOWN = re.compile(r"^(?:<untrusted \w+>)?\[(\S+) \| pp?\. ([\d, ]+)", re.MULTILINE)
_PATIENCE = 5.0


@dataclass(frozen=True)
class Asked:
    """One request.

    Attributes:
        body: as it came. number: counted from 1.
    """

    body: dict[str, Any]
    number: int

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation."""
        return list(self.body["messages"])

    @property
    def text(self) -> str:
        """Everything the messages say, the system's left out."""
        return "\n".join(str(one.get("content") or "") for one in self.messages if one["role"] != "system")

    @property
    def tools(self) -> set[str]:
        """The names of the tools that may be called."""
        return {tool["function"]["name"] for tool in self.body.get("tools", [])}

    @property
    def is_part(self) -> bool:
        """It is the reading of a part: no tools, no form."""
        return "colleague" in str(self.messages[0]["content"])

    @property
    def listed(self) -> dict[str, int]:
        """Ids of the passages listed, with their first page."""
        return {name: int(pages.split(",")[0]) for name, pages in _LISTED.findall(self.text)}

    @property
    def shown(self) -> dict[str, int]:
        """Ids of the passages whose text was shown, with their first page."""
        return {name: int(pages.split(",")[0]) for name, pages in _SHOWN.findall(self.text)}


@dataclass(frozen=True)
class Reply:
    """One answer.

    Attributes:
        message: of the only choice; None with `raw`, or for no choice at all.
        raw: the body instead.
        usage: as the service counts; None leaves it out; the default counts four characters a token.
        drip: seconds between two bytes of the body, which never ends; 0 sends it at once.
        together: wait until so many requests are under way at once.
        finish: why it ended.
    """

    message: Mapping[str, Any] | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    usage: Any = "honest"
    drip: float = 0.0
    together: int = 1
    finish: str | None = None


Brain = Callable[[Asked], Reply]


def say(text: str, **others: Any) -> Reply:
    """Answer with a text."""
    return Reply({"role": "assistant", "content": text}, **others)


def answer(summary: str, citations: Sequence[Any], **others: Any) -> Reply:
    """Answer with a summary; a citation is an id, or an id with its page."""
    cited = [
        {"chunk_id": one, "page": None} if isinstance(one, str) else dict(zip(("chunk_id", "page"), one, strict=True))
        for one in citations
    ]
    return say(json.dumps({"summary": summary, "citations": cited}), **others)


def call(*calls: tuple[str, Any], **others: Any) -> Reply:
    """Call tools: names with their arguments, a mapping or the text of one."""
    made = [
        {
            "id": f"id{number}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for number, (name, given) in enumerate(calls)
    ]
    return Reply({"role": "assistant", "content": None, "tool_calls": made}, **others)


def refuse(
    status: int, message: str = "no", *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> Reply:
    """Answer an error in OpenAI's shape."""
    error = {"error": {"message": message, "type": "error", "code": code}}
    return Reply(status=status, headers=headers or {}, raw=json.dumps(error).encode())


def spread(pages: Mapping[str, int], most: int = 3) -> list[str]:
    """Choose passages from as many pages as can be."""
    first = {page: name for name, page in reversed(list(pages.items()))}
    chosen = sorted(first.values(), key=list(pages).index)[:most]
    return chosen + [name for name in pages if name not in chosen][: max(0, most - len(chosen))]


def good_reader(summary: str = SUMMARY) -> Brain:
    """A model that reads three passages from as many pages as can be, and rests its summary on them."""

    def brain(asked: Asked) -> Reply:
        if asked.is_part:
            return say("Notes: " + " ".join(f"a finding [{name}]." for name in asked.shown))
        if asked.shown:
            return answer(summary, spread(asked.shown))
        return call(("read_chunks", {"ids": spread(asked.listed)}))

    return brain


class ScriptedModel:
    """Serves what it is scripted to, then what its brain says.

    Attributes:
        asked: all requests, in order of arrival. authorizations: their Authorization headers. paths: their paths.
        most_in_flight: the most requests that were under way at once.
    """

    def __init__(self, brain: Brain | None = None) -> None:
        self.brain = brain or good_reader()
        self.asked: list[Asked] = []
        self.authorizations: list[str | None] = []
        self.paths: list[str] = []
        self.most_in_flight = 0
        self.arrived = threading.Event()
        self._in_flight = 0
        self._script: list[Reply | Brain] = []
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL to configure."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *replies: Reply | Brain) -> None:
        """Give these to the next requests, one each; then the brain's again."""
        with self._changed:
            self._script.extend(replies)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def begin(self, body: dict[str, Any], path: str, authorization: str | None) -> tuple[Asked, Reply]:
        """Note a request, and choose its reply."""
        with self._changed:
            asked = Asked(body, len(self.asked) + 1)
            self.asked.append(asked)
            self.authorizations.append(authorization)
            self.paths.append(path)
            chosen = self._script.pop(0) if self._script else self.brain
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
            self._changed.notify_all()
        self.arrived.set()
        reply = chosen if isinstance(chosen, Reply) else chosen(asked)
        with self._changed:
            enough = reply.together
            self._changed.wait_for(lambda: self.most_in_flight >= enough or self._closing.is_set(), _PATIENCE)
        return asked, reply

    def end(self) -> None:
        """Note that a request is about to be answered."""
        with self._changed:
            self._in_flight -= 1

    def pause(self, seconds: float) -> bool:
        """Wait; True when the server is closing."""
        return self._closing.wait(seconds)


def body_of(asked: Asked, reply: Reply) -> bytes:
    """The body of a reply, in OpenAI's shape."""
    if reply.raw is not None:
        return reply.raw
    written = json.dumps(reply.message)
    finish = reply.finish or ("tool_calls" if reply.message and reply.message.get("tool_calls") else "stop")
    choices = [{"index": 0, "message": reply.message, "finish_reason": finish}] if reply.message is not None else []
    made: dict[str, Any] = {
        "id": f"chatcmpl-{asked.number}",
        "object": "chat.completion",
        "created": 1,
        "model": asked.body["model"],
        "choices": choices,
    }
    if reply.usage == "honest":
        read, wrote = len(json.dumps(asked.body)) // 4, len(written) // 4
        made["usage"] = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
    elif reply.usage is not None:
        made["usage"] = reply.usage
    return json.dumps(made).encode()


def _handler_of(server: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked, reply = server.begin(body, self.path, self.headers.get("Authorization"))
            try:
                payload = body_of(asked, reply)
                server.end()
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(payload) if not reply.drip else 10_000_000))
                self.end_headers()
                self.wfile.write(payload)
                self.wfile.flush()
                while reply.drip and not server.pause(reply.drip):
                    self.wfile.write(b" ")
                    self.wfile.flush()
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    return Handler

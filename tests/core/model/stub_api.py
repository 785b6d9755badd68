"""A loopback server that speaks the Messages API, and does what each test tells it to."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Handler = BaseHTTPRequestHandler
Act = Callable[["Stub", Handler], None]

TAKEN = "The nightly export runs on the replica `db-ro-2`, because the primary cannot bear it."


class Stub:
    """The server's side: `act` answers the next requests, `bodies` are those that came."""

    def __init__(self) -> None:
        self.act: Act = answer()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.stopped = threading.Event()

    def asked(self, purpose: str = "You read the record") -> list[str]:
        """What was sent for one purpose, recognised by words of its instructions."""
        return [
            str(body["messages"][0]["content"])
            for body in self.bodies
            if purpose in body["system"][0]["text"]
        ]


@contextmanager
def serving(stub: Stub) -> Iterator[str]:
    """Serve on a free port of the loopback device; gives the base URL."""

    class Asked(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            stub.bodies.append(json.loads(self.rfile.read(length)))
            stub.headers.append(dict(self.headers.items()))
            try:
                stub.act(stub, self)
            except OSError:
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        stub.stopped.set()
        server.shutdown()
        server.server_close()


def send(
    handler: Handler,
    code: int,
    body: bytes,
    headers: Mapping[str, str] = {},
    kind: str = "application/json",
) -> None:
    """One whole answer."""
    handler.send_response(code)
    for name, value in {"content-type": kind, "content-length": str(len(body)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def message(text: str, stop: str = "end_turn", **usage: int) -> bytes:
    """A message of the API."""
    used = {"input_tokens": 2_000, "output_tokens": 100, **usage}
    made = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": used,
    }
    return json.dumps(made).encode()


def memory(content: str = TAKEN, number: int = 1, **fields: Any) -> dict[str, Any]:
    """One memory as the model names it."""
    return {
        "kind": "decision",
        "title": "Exports run on the replica",
        "content": content,
        "confidence": 0.9,
        "priority": 6,
        "scope": "project",
        "tags": ["export"],
        "files": [],
        "message": number,
        **fields,
    }


def extraction(*memories: Any, **lists: Any) -> str:
    """The JSON that extraction answers with: memories, and other lists or the summary by name."""
    return json.dumps({"memories": list(memories), **lists})


def messages_in(sent: str) -> dict[int, str]:
    """The words of each message that was sent, by its number."""
    found = re.findall(r"^\[(\d+) \w+\] (.*(?:\n  .*)*)", sent, re.MULTILINE)
    return {int(number): body for number, body in found}


def quoting(text: str, sent: str) -> str:
    """An answer in which each memory and update quotes the message that it names, unless it quotes
    already."""
    try:
        answer = json.loads(text)
        entries = [*answer["memories"], *answer.get("updates", ())]
        listed = [one for one in entries if isinstance(one, dict)]
    except (ValueError, KeyError, TypeError):
        return text
    said = messages_in(sent)
    for one in listed:
        words = said.get(one["message"], "") if isinstance(one.get("message"), int) else ""
        one.setdefault("quote", " ".join(words.split()[:12]))
    return json.dumps(answer, ensure_ascii=False)


def said_in(sent: str, words: str) -> int:
    """The number of the message that holds `words`."""
    for number, body in messages_in(sent).items():
        if words in body:
            return number
    raise AssertionError(f"{words!r} was not sent")


def answer(*texts: str, stop: str = "end_turn", **usage: int) -> Act:
    """Answer with each text in turn, then with the last one again; without any, with nothing."""
    left = list(texts or (extraction(),))

    def act(stub: Stub, handler: Handler) -> None:
        text = left.pop(0) if len(left) > 1 else left[0]
        sent = str(stub.bodies[-1]["messages"][0]["content"])
        send(handler, 200, message(quoting(text, sent), stop, **usage))

    return act


def error(code: int, kind: str = "api_error", **headers: str) -> Act:
    """Answer with an error of the API."""
    body = {"type": "error", "error": {"type": kind, "message": f"stub says {code}"}}
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda stub, handler: send(handler, code, json.dumps(body).encode(), given)


def junk(stub: Stub, handler: Handler) -> None:
    """200, and no JSON."""
    send(handler, 200, b"<html>a proxy's page</html>", kind="text/html")


def hang(stub: Stub, handler: Handler) -> None:
    """Take the request and say nothing."""
    stub.stopped.wait(30)
    handler.close_connection = True


def drip(stub: Stub, handler: Handler) -> None:
    """A whole answer, one byte at a time, slower than anybody waits."""
    body = message(extraction(memory()))
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    for byte in body:
        if stub.stopped.is_set():
            return
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        time.sleep(0.05)


def drop(stub: Stub, handler: Handler) -> None:
    """Half an answer, then the connection is gone."""
    body = message(extraction(memory()))
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def then(*acts: Act) -> Act:
    """Each in turn, then the last one again."""
    left = list(acts)

    def act(stub: Stub, handler: Handler) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(stub, handler)

    return act

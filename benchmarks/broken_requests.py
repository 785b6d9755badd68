"""The campaigns of broken requests: MCP over standard input, HTTP over a socket.

Every wrong request must get an error with a sentence, or nothing where the protocol says so. The
server must then answer a sound one, and a refused request must change nothing.
"""

from __future__ import annotations

import json
import queue
import random
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.campaign import NOTES, Place, Row, Scale, most_frequent, unsound
from benchmarks.stores import sentences

PATIENCE = 30.0
"""Seconds within which a sound request must be answered."""

CRASH = re.compile(
    r"Traceback|nternal error|codec can't|object has no attribute|object is not "
    r"|sqlite3\.|not supported between|\b(?:Type|Value|Key|Index|Attribute|Recursion)Error\b"
)
"""What no answer to a caller may contain: words of an unexpected error."""

VALUES: Sequence[Any] = (
    None,
    True,
    3,
    -1,
    10**40,
    1e308,
    "",
    " ",
    "\0",
    "\ud800",
    "\x1b[2J",
    "x" * 300_000,
    [],
    ["x"],
    {},
    {"a": {}},
    [[[]]],
    "../../etc/passwd",
    "' OR 1=1 --",
    '"',
    "*",
    "9999-99-99",
    "NaN",
    "[" * 900 + "]" * 900,
)
"""Values that an argument does not have, or rarely."""

_PARAMS: Sequence[Any] = (None, [], 3, "x", {}, {"name": 3}, {"name": None}, {"requestId": []})

Message = dict[str, Any]


def _place(folder: Path) -> Place:
    place = Place(folder)
    for kind, text in sentences(5, seed=4):
        place.cortex("remember", text, "--kind", kind)
    return place


# --- MCP


class Speaker:
    """An MCP server in a process, and what it answers."""

    def __init__(self, place: Place) -> None:
        self._process = place.start("cortex_core.mcp_server")
        self._answers: queue.Queue[bytes] = queue.Queue()
        self.errors: list[bytes] = []
        for stream, take in (
            (self._process.stdout, self._answers.put),
            (self._process.stderr, self.errors.append),
        ):
            threading.Thread(target=_drain, args=(stream, take), daemon=True).start()
        self._number = 1000
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "campaign", "version": "1"},
        }
        self.ask("initialize", hello)
        self.send(_message("notifications/initialized"))

    def send(self, data: bytes) -> None:
        """Send `data` as it is.

        Raises:
            OSError: the server has ended.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def ask(self, method: str, params: Any = None) -> tuple[Message, list[Message]]:
        """The answer to a request, and what was answered to others before.

        Raises:
            TimeoutError, OSError: the server does not answer or has ended.
        """
        self._number += 1
        self.send(_message(method, params, self._number))
        others: list[Message] = []
        until = time.monotonic() + PATIENCE
        while (left := until - time.monotonic()) > 0:
            try:
                answer = json.loads(self._answers.get(timeout=left))
            except queue.Empty:
                break
            if isinstance(answer, dict) and answer.get("id") == self._number:
                return answer, others
            others.append(answer)
        raise TimeoutError(f"no answer to {method}")

    def close(self) -> int:
        """Close its input, as Claude Code does; the code it ends with."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def _drain(stream: Any, take: Any) -> None:
    for line in stream:
        take(line)


def _message(method: str, params: Any = None, number: int | None = None) -> bytes:
    message: Message = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    if number is not None:
        message["id"] = number
    return json.dumps(message).encode() + b"\n"


def mcp(scale: Scale) -> Iterator[Row]:
    """Broken messages, then every argument of every tool with every value."""
    place = _place(scale.scratch / "mcp")
    server = Speaker(place)
    tools = server.ask("tools/list")[0]["result"]["tools"]
    row, server = _spoken(place, server, "MCP: broken messages", list(_messages(scale)))
    yield row
    row, server = _spoken(place, server, "MCP: wrong arguments", list(_calls(tools, scale)))
    yield row
    code = server.close()
    faults = [*unsound(place), *map(str, place.wait(30))]
    faults += [f"ended with {code}"] if code else []
    place.close()
    yield Row("MCP: how it ended", "its input closed", 1, broken=len(faults), notes=tuple(faults))


def _spoken(
    place: Place, server: Speaker, fault: str, sent: Sequence[bytes | Message]
) -> tuple[Row, Speaker]:
    """Send each message, or call a tool with its parameters."""
    notes: list[str] = []
    said: list[str] = []
    before = place.contents()
    for data in sent:
        try:
            answers = _answers(server, data)
        except (OSError, TimeoutError) as error:
            notes.append(f"{data!r:.160}: {error or type(error).__name__}")
            server.close()
            server = Speaker(place)
            continue
        texts = [_said(answer) for answer in answers]
        said += [text for text in texts if text]
        notes += [f"{data!r:.160}: {text[:200]}" for text in texts if CRASH.search(text)]
    printed = b"".join(server.errors).decode("utf-8", "replace")
    notes += [printed[-300:]] if "Traceback" in printed else []
    lost = sum((before - place.contents()).values()) if "broken" in fault else 0
    row = Row(
        fault,
        "a sound request after each",
        len(sent),
        lost=lost,
        broken=len(notes),
        said=most_frequent(said),
        notes=tuple(notes[:NOTES]),
    )
    return row, server


def _answers(server: Speaker, data: bytes | Message) -> list[Message]:
    """What is answered to a message before a sound request is, or to a call of a tool."""
    if not isinstance(data, bytes):
        return [server.ask("tools/call", data)[0]]
    server.send(data)
    return server.ask("ping")[1]


def _said(answer: Any) -> str:
    """The words of an error; empty for an answer that is none."""
    if not isinstance(answer, dict):
        return f"not an answer: {answer!r}"
    if "error" in answer:
        return str(answer["error"].get("message"))
    result = answer.get("result") or {}
    if not result.get("isError"):
        return ""
    return " ".join(str(part.get("text")) for part in result.get("content", []))


def _messages(scale: Scale) -> Iterator[bytes]:
    chance = random.Random(scale.seed)
    call = {"name": "recall", "arguments": {"query": "scheduler"}}
    yield from (
        b"\n",
        b"\r\n",
        b"{\n",
        b"}\n",
        b"[]\n",
        b"[{}]\n",
        b"{}\n",
        b"null\n",
        b"3\n",
        b'"text"\n',
        b"\0\n",
        b"\xff\xfe\n",
        chance.randbytes(3000).replace(b"\n", b"") + b"\n",
        b"[" * 100_000 + b"\n",
        b'{"jsonrpc":"2.0","id":1,"method":' + b"[" * 900 + b"\n",
        b"Content-Length: 12\r\n\r\n",
        b'{"jsonrpc":"2.0"}\n',
        b'{"jsonrpc":"2.0","id":1}\n',
        b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
        b'{"jsonrpc":"2.0","id":9,"error":{}}\n',
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n',
        b'{"id":1,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":1,"method":3}\n',
        b'{"jsonrpc":"2.0","id":1,"method":""}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"no/such"}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}' * 2 + b"\n",
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}\n',
    )
    numbers: Sequence[Any] = (None, True, 1.5, 10**40, "", "x" * 10_000, [], {})
    for number in numbers:
        yield json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode() + b"\n"
    for method in (
        "ping",
        "initialize",
        "tools/list",
        "tools/call",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
        "notifications/cancelled",
        "notifications/progress",
    ):
        for params in _PARAMS:
            yield _message(method, params, 7)
    for name in ("", "no_such_tool", "\ud800", "recall ", "../recall", "__init__", "x" * 100_000):
        yield _message("tools/call", {"name": name, "arguments": {}}, 8)
    yield _message("tools/call", {**call, "arguments": {"query": "word " * 4_000_000}}, 9)
    whole = _message("tools/call", call, 10)
    for _ in range(scale.times(200, 20)):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 5)):
            data[chance.randrange(len(data) - 1)] = chance.randrange(11, 256)
        yield bytes(data)


def _calls(tools: Sequence[Mapping[str, Any]], scale: Scale) -> Iterator[Message]:
    """The parameters of calls: every value in each argument of every tool, the others sound."""
    chance = random.Random(scale.seed)
    for tool in tools:
        schema = tool["inputSchema"]
        sound = {name: _sound(name) for name in schema.get("required", ())}
        for wrong in _PARAMS:
            yield {"name": tool["name"], "arguments": wrong}
        for name in schema.get("properties", {}):
            for value in VALUES if not scale.quick else chance.sample(VALUES, 1):
                arguments = {**sound, name: value}
                yield {"name": tool["name"], "arguments": arguments}


def _sound(name: str) -> Any:
    return {
        "memories": [{"content": "Deploys run at noon"}],
        "limit": 3,
        "succeeded": True,
        "steps": ["one", "two"],
    }.get(name, "scheduler")


# --- HTTP


def http(scale: Scale) -> Iterator[Row]:
    """Broken requests over raw sockets, then wrong bodies and queries."""
    place = _place(scale.scratch / "http")
    process = place.start("cortex_core.cli", "serve", "--port", "0", "--json")
    assert process.stdout is not None
    about = json.loads(process.stdout.readline())
    port = int(about["address"].rpartition(":")[2])
    token = Path(about["token_file"]).read_text("ascii").strip()
    try:
        yield _answered("HTTP: broken requests", place, port, token, list(_broken(port, token)))
        yield _answered(
            "HTTP: wrong bodies and queries", place, port, token, list(_bodies(port, token, scale))
        )
    finally:
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE)
    faults = [*unsound(place), *map(str, place.wait(30))]
    faults += [f"ended with {process.returncode}"] if process.returncode not in (0, -15) else []
    faults += [err.decode("utf-8", "replace")[-300:]] if err.strip() else []
    place.close()
    yield Row("HTTP: how it ended", "SIGTERM", 1, broken=len(faults), notes=tuple(faults))


def _answered(
    fault: str, place: Place, port: int, token: str, sent: Sequence[tuple[str, bytes, bool]]
) -> Row:
    """Send each request, with a sound one after it."""
    notes: list[str] = []
    said: list[str] = []
    before = place.contents()
    for name, data, may_pass in sent:
        answer = _exchange(port, data)
        wrong, words = _judged(answer, may_pass)
        said.append(words)
        sound = _exchange(port, _request(port, token, "GET", "/api/memory/search?q=scheduler"))
        if not sound.startswith(b"HTTP/1.1 200 "):
            wrong = f"afterwards a sound request got {sound[:80]!r}"
        if wrong:
            notes.append(f"{name}: {wrong}")
    lost = sum((before - place.contents()).values())
    stored = [text for text in place.contents() if "never stored" in text]
    notes += [f"stored by a request that was refused: {text}" for text in stored]
    return Row(
        fault,
        "a sound request after each",
        len(sent),
        lost=lost,
        broken=len(notes),
        said=most_frequent(said),
        notes=tuple(notes[:NOTES]),
    )


def _judged(answer: bytes, may_pass: bool) -> tuple[str, str]:
    """What is wrong with an answer, and the words of its error."""
    if not answer:
        return "", ""  # closed without an answer, as for what is no HTTP
    head, _, body = answer.partition(b"\r\n\r\n")
    text = body.decode("utf-8", "replace").partition("HTTP/1.1")[0]
    status = head.partition(b" ")[2][:3].decode("ascii", "replace")
    if status == "500" or CRASH.search(text):
        return f"{status}: {text[:200]}", text
    if status == "200" and not may_pass:
        return f"passed: {text[:80]}", text
    try:
        words = str(json.loads(text).get("error", "")) if text.strip() else ""
    except ValueError:
        return f"not JSON: {text[:80]!r}", text
    return ("" if words or status == "200" or not text else f"{status} without a word"), words


def _exchange(port: int, data: bytes) -> bytes:
    """What the server answers to `data` until it closes the connection."""
    answer = b""
    with (
        socket.create_connection(("127.0.0.1", port), PATIENCE) as connection,
        suppress(ConnectionError),
    ):
        with suppress(ConnectionError):  # closed while more is sent: the answer is there
            connection.sendall(data)
        while part := connection.recv(1 << 16):
            answer += part
    return answer


def _request(
    port: int, token: str, method: str, path: str, body: bytes = b"", **headers: str
) -> bytes:
    usual = {"Host": f"127.0.0.1:{port}", "Authorization": f"Bearer {token}"}
    if body or method == "POST":
        usual |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    usual |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in usual.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1", "replace") + body


def _broken(port: int, token: str) -> Iterator[tuple[str, bytes, bool]]:
    """Requests that are broken as HTTP, and whether one of them may be answered with 200."""
    search, store = "/api/memory/search?q=scheduler", "/api/memory/store"
    sound = _request(port, token, "GET", search)
    for name, data in {
        "nothing": b"",
        "blank lines": b"\r\n" * 50,
        "binary": bytes(range(256)) * 20,
        "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200,
        "half a line": b"GET /api",
        "half a head": sound[:-20],
        "no version": b"GET /\r\n\r\n",
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "HTTP/9": sound.replace(b"1.1", b"9.9", 1),
        "long line": b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\n\r\n",
        "many headers": sound[:-2] + b"X: y\r\n" * 20_000 + b"\r\n",
        "header without colon": sound[:-2] + b"nonsense\r\n\r\n",
        "header in bytes": sound[:-2] + b"X: \xff\xfe\r\n\r\n",
        "folded header": sound[:-2] + b"X: y\r\n z\r\n\r\n",
        "NUL in a header": sound[:-2] + b"X: a\0b\r\n\r\n",
        "bare LF": sound.replace(b"\r\n", b"\n"),
        "token missing": sound.replace(b"Authorization", b"X"),
        "token in bytes": sound.replace(token.encode(), b"\xff\xfe\xfd"),
        "Host twice": sound[:-2] + b"Host: evil\r\n\r\n",
        "Host missing": b"GET / HTTP/1.1\r\n\r\n",
        "two in a row": sound * 3,
        "one, then nonsense": sound + b"nonsense\r\n\r\n",
    }.items():
        may_pass = name in (
            "HTTP/9",
            "header in bytes",
            "folded header",
            "bare LF",
            "two in a row",
            "many headers",
            "one, then nonsense",
        )
        yield name, data, may_pass
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "get", "G\0T", ""):
        yield f"method {method!r}", _request(port, token, method, store), False
    for token_used in ("", "x", "Bearer", token[:-1], token + "x", "é" * 43, "x" * 60_000):
        yield f"token {token_used[:9]!r}", _request(port, token_used, "GET", search), False
    for host in ("", "evil.example", "127.0.0.1", f"127.0.0.1:{port + 1}", "[::1]", "é"):
        yield f"host {host!r}", _request(port, token, "GET", search, Host=host), False
    body = b'{"content": "never stored by a broken request"}'
    for length in ("", "-1", "0", "5", "99999999999999999999", "1e3", "٣", "47, 48", "+47"):
        broken = _request(port, token, "POST", store, body, Content_Length=length)
        yield f"length {length!r}", broken, False
    for kind in ("", "text/plain", "application/jsonx", "multipart/form-data"):
        broken = _request(port, token, "POST", store, body, Content_Type=kind)
        yield f"type {kind!r}", broken, False
    for coding in ("chunked", "gzip", "identity", "chunked, chunked"):
        broken = _request(port, token, "POST", store, body, Transfer_Encoding=coding)
        yield f"coding {coding}", broken, False
    for origin in ("https://evil.example", "null", "http://127.0.0.1"):
        yield f"origin {origin}", _request(port, token, "GET", search, Origin=origin), False


def _bodies(port: int, token: str, scale: Scale) -> Iterator[tuple[str, bytes, bool]]:
    """Sound HTTP with wrong content; some of it may pass."""
    chance = random.Random(scale.seed)
    paths = ("/api/memory/store", "/api/memory/extract")
    for path in paths:
        for body in (
            b"",
            b"{",
            b"[]",
            b"null",
            b"3",
            b'"x"',
            b"\xff\xfe",
            b"[" * 100_000,
            b"{}",
            b'{"content"',
            b'{"content": NaN}',
            b"\0",
            b'{"a":1}' * 2,
            b'{"content": "' + b"x" * (20 << 20) + b'"}',
        ):
            yield f"{path} {body[:20]!r}", _request(port, token, "POST", path, body), False
    fields = {
        paths[0]: ("content", "kind", "title", "priority", "tags", "files", "confidence", "scope"),
        paths[1]: ("path", "transcript", "messages"),
    }
    for path, names in fields.items():
        for name in names:
            for value in VALUES if not scale.quick else chance.sample(VALUES, 1):
                given = {name: value} if path == paths[1] else {"content": "x y z", name: value}
                body = json.dumps(given).encode()
                yield f"{name} {body[:60]!r}", _request(port, token, "POST", path, body), True
    for query in (
        "q=%FF%FE",
        "q=%00",
        "q=%ED%A0%80",
        "q=a&q=b",
        "q=x&limit=-1",
        "q=x&limit=%00",
        "q=x&since=%ff",
        "q=x&file=%00",
        "q=x&tag=" + "a" * 5000,
        "q=%22%27*%28",
        "q=x&scope=%00",
        "%%%",
        "q",
        "&&&=&",
        "q=x;DROP",
        "prompt=%ED%A0%80",
        "file=%00",
        "file=" + "..%2f" * 500,
    ):
        for path in ("search", "context"):
            made = _request(port, token, "GET", f"/api/memory/{path}?{query}")
            yield f"{path}?{query[:30]}", made, True

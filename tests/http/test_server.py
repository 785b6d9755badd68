"""The HTTP server: who is answered, with what, and how it ends."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.agent_access import Access
from cortex_core.agents.claude.places import slug
from cortex_core.base.errors import CortexError
from cortex_core.http_server import endpoints, server
from cortex_core.http_server.server import Server
from tests.transcript_samples import Sample

TOKEN = "t" * 43
Answer = tuple[int, dict[str, Any]]


@pytest.fixture
def served(project: Path) -> Iterator[Server]:
    """A server for a project with two memories."""
    with Cortex.open(project) as cortex:
        cortex.remember("Use pnpm, never npm", kind="preference", priority=8)
        cortex.remember("The lighthouse API pages by cursor")
    with Server(Access(str(project)), TOKEN, 0) as opened:
        thread = threading.Thread(target=opened.serve_forever)
        thread.start()
        yield opened
        opened.shutdown()
        thread.join(10)
        opened.access.cortex.close()


def ask(
    served: Server,
    method: str,
    path: str,
    body: Any = None,
    *,
    raw: bytes | None = None,
    **headers: str,
) -> Answer:
    usual = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    usual |= {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {name: value for name, value in usual.items() if value}
    data = raw if raw is not None else None if body is None else json.dumps(body).encode()
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    try:
        connection.request(method, path, data, sent)
        response = connection.getresponse()
        assert response.headers["Content-Type"] == "application/json; charset=utf-8"
        told = response.read()
        return response.status, json.loads(told) if told else {}
    finally:
        connection.close()


def test_search(served: Server) -> None:
    status, told = ask(served, "GET", "/api/memory/search?q=package+manager+pnpm&limit=3")
    assert status == 200
    assert told["hits"][0]["content"] == "Use pnpm, never npm"
    assert set(told["hits"][0]) >= {"id", "title", "kind", "score", "parts", "code", "source"}
    status, told = ask(served, "GET", "/api/memory/search?q=pages&type=preference&mode=keyword")
    assert (status, told["hits"]) == (200, [])


def test_context(served: Server) -> None:
    status, told = ask(served, "GET", "/api/memory/context")
    assert status == 200
    assert "pnpm" in told["context"]
    assert told["memories"]
    assert told["tokens"] > 0


def test_store(served: Server, project: Path) -> None:
    body = {
        "type": "decision",
        "content": "Drizzle, not Prisma; key AKIAQZ3V7L2M9XK4T8WB",
        "relevance": 0.7,
        "tags": ["orm"],
    }
    status, told = ask(served, "POST", "/api/memory/store", body)
    assert status == 200
    assert told["memory"]["kind"] == "decision"
    assert "[redacted: " in told["memory"]["content"]
    with Cortex.open(project) as cortex:
        entry = cortex.log()[0]
        assert entry.actor == "agent"
        cortex.undo()
        assert len(cortex.list()) == 2


def test_what_it_may_take_the_place_of_is_named(served: Server) -> None:
    body = {"kind": "preference", "content": "Use yarn, never pnpm"}
    near = ask(served, "POST", "/api/memory/store", body)[1]["near"]
    assert [one["title"] for one in near] == ["Use pnpm, never npm"]


WHAT_CANNOT_BE_STORED: list[dict[str, Any]] = [
    {},
    {"content": ""},
    {"content": ["x y z"]},
    {"content": "x y z", "priority": 10},
    {"words": "x"},
    {"content": "x y z", "priority": True},
    {"content": "x y z", "tags": [1]},
    {"content": "x y z", "kind": "nonsense"},
    {"content": "x y z", "scope": "all"},
]


def test_what_cannot_be_stored(served: Server) -> None:
    for body in WHAT_CANNOT_BE_STORED:
        status, told = ask(served, "POST", "/api/memory/store", body)
        assert status == 400
        assert told["error"]


def test_extract_messages(served: Server, project: Path) -> None:
    body = {
        "messages": [
            {"role": "user", "content": "Always use tabs in Makefiles, never spaces."},
            {"role": "assistant", "content": "Understood: tabs in Makefiles."},
        ]
    }
    status, told = ask(served, "POST", "/api/memory/extract", body)
    assert status == 200, told
    assert told["ledger"]["event"] == "http"
    assert len(told["stored"]) + len(told["suggested"]) >= 1
    status, again = ask(served, "POST", "/api/memory/extract", body)
    assert (again["stored"], again["suggested"]) == ([], []), "the same twice adds nothing"
    with Cortex.open(project) as cortex:
        assert any("Makefile" in memory.content for memory in cortex.suggestions.list())


def test_what_a_caller_says_was_said_is_nobodys_own_word(served: Server, project: Path) -> None:
    said = "Remember: releases go out through make ship, which tags the commit first."
    for number in range(3):
        told = f"{said} {'Now ' * number}"
        body = {"messages": [{"role": "user", "content": told}]}
        assert ask(served, "POST", "/api/memory/extract", body)[1]["stored"] == []
    with Cortex.open(project) as cortex:
        assert not any("make ship" in one.content for one in cortex.list())
        assert {one.source.rule for one in cortex.suggestions.list()} == {"import:session"}


def test_extract_a_transcript(served: Server, project: Path) -> None:
    made = Sample("5e55", cwd=str(project), branch="main").human(
        "Remember that releases go out through make ship, which tags the commit first."
    )
    path = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", slug(str(project)), "5e55.jsonl")
    path.parent.mkdir(parents=True)
    made.write(path)
    status, told = ask(served, "POST", "/api/memory/extract", {"path": str(path)})
    assert status == 200, told
    assert told["stored"]
    text = path.read_text(encoding="utf-8")
    status, again = ask(served, "POST", "/api/memory/extract", {"transcript": text})
    assert (status, again["stored"]) == (200, [])


WHAT_CANNOT_BE_EXTRACTED: list[dict[str, Any]] = [
    {},
    {"path": "/etc/passwd"},
    {"messages": [{"role": "system", "content": "x"}]},
    {"messages": "x"},
    {"path": "a", "transcript": "b"},
]


def test_what_cannot_be_extracted(served: Server) -> None:
    for body in WHAT_CANNOT_BE_EXTRACTED:
        assert ask(served, "POST", "/api/memory/extract", body)[0] == 400


def test_a_paused_capture_extracts_nothing(served: Server, project: Path) -> None:
    with Cortex.open(project) as cortex:
        cortex.sessions.pause()
    body = {"messages": [{"role": "user", "content": "Always use tabs."}]}
    assert ask(served, "POST", "/api/memory/extract", body)[0] == 409


# --- who is answered


WHO_IS_NOT_ANSWERED: list[tuple[dict[str, str], int]] = [
    ({"Authorization": ""}, 401),
    ({"Authorization": "Bearer wrong"}, 401),
    ({"Authorization": f"Basic {TOKEN}"}, 401),
    ({"Authorization": "Bearer ü"}, 401),
    ({"Host": "evil.example"}, 403),
    ({"Host": "127.0.0.1"}, 403),
    ({"Host": "localhost:1"}, 403),
    ({"Origin": "http://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Sec_Fetch_Site": "cross-site"}, 403),
]


def test_who_is_not_answered(served: Server) -> None:
    for headers, status in WHO_IS_NOT_ANSWERED:
        headers = {name: value.encode().decode("latin-1") for name, value in headers.items()}
        found, told = ask(served, "GET", "/api/memory/search?q=pnpm", raw=None, **headers)
        assert (found, "hits" in told) == (status, False), headers


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "LOCALHOST"])
def test_names_of_this_machine(served: Server, name: str) -> None:
    host = f"{name}:{served.port}"
    assert ask(served, "GET", "/api/memory/search?q=pnpm", Host=host)[0] == 200


def test_it_listens_on_this_machine_alone(served: Server) -> None:
    assert served.server_address[0] == "127.0.0.1"


def test_a_transcript_that_no_file_can_be(served: Server) -> None:
    for path in ("\0", "\ud800", "x" * 5000, "~nobody-of-this-name/x.jsonl"):
        status, told = ask(served, "POST", "/api/memory/extract", {"path": path})
        assert (status, "must be a transcript" in told["error"]) == (400, True), path[:9]


def test_a_transcript_with_half_a_character_is_learned(served: Server, project: Path) -> None:
    session = Sample("half").human("Remember that deploys run at noon \ud83d.").assistant("Noted.")
    lines = "".join(f"{json.dumps(record)}\n" for record in session.records)
    for text in (lines, lines.replace("\\ud83d", "\ud83d")):
        status, told = ask(served, "POST", "/api/memory/extract", {"transcript": text})
        assert (status, "error" in told) == (200, False)
    with Cortex.open(project) as cortex:
        assert any("eploys run at noon" in one.content for one in cortex.suggestions.list())


WRONG_REQUESTS: list[tuple[str, str, int]] = [
    ("GET", "/", 404),
    ("GET", "/api/memory/store", 405),
    ("POST", "/api/memory/search", 405),
    ("DELETE", "/api/memory/store", 405),
    ("OPTIONS", "/api/memory/store", 405),
    ("BREW", "/api/memory/store", 501),
    ("GET", "/api/memory/search", 400),
    ("GET", "/api/memory/search?q=x&limit=0", 400),
    ("GET", "/api/memory/search?q=x&limit=1e9", 400),
    ("GET", "/api/memory/search?q=x&mode=magic", 400),
    ("GET", "/api/memory/search?q=x&scope=universe", 400),
    ("GET", "/api/memory/search?q=x&since=whenever", 400),
    ("GET", f"/api/memory/search?q={'x' * 9000}", 414),
]


def test_wrong_requests(served: Server) -> None:
    for method, path, status in WRONG_REQUESTS:
        found, told = ask(served, method, path)
        assert (found, bool(told["error"])) == (status, True), path[:60]


WRONG_BODIES: list[tuple[bytes, dict[str, str], int]] = [
    (b"{", {}, 400),
    (b"[1]", {}, 400),
    (b"\xff\xfe", {}, 400),
    (b"[" * 100_000, {}, 400),
    (b"{}", {"Content_Type": "text/plain"}, 415),
    (b"{}", {"Content_Type": ""}, 415),
    (b"{}", {"Transfer_Encoding": "chunked"}, 411),
    (b"{}", {"Content_Length": "99999999999"}, 413),
    (b"{}", {"Content_Length": "-1"}, 411),
    (b"{}", {"Content_Length": "٣"}, 411),
]


def test_wrong_bodies(served: Server) -> None:
    for raw, headers, status in WRONG_BODIES:
        headers = {name: value.encode().decode("latin-1") for name, value in headers.items()}
        assert ask(served, "POST", "/api/memory/store", raw=raw, **headers)[0] == status


def test_a_header_twice(served: Server) -> None:
    with socket.create_connection(("127.0.0.1", served.port), 10) as raw:
        host = f"127.0.0.1:{served.port}"
        raw.sendall(
            f"GET /api/memory/search?q=x HTTP/1.1\r\nHost: {host}\r\nHost: evil\r\n"
            f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()
        )
        assert b" 400 " in raw.recv(4096)


def test_a_client_that_stops_in_the_middle(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.Handler, "timeout", 0.2)
    with socket.create_connection(("127.0.0.1", served.port), 10) as raw:
        raw.sendall(b"POST /api/memory/store HTTP/1.1\r\n")
        assert raw.recv(4096) == b""
    assert ask(served, "GET", "/api/memory/search?q=pnpm")[0] == 200


def test_many_at_once(served: Server) -> None:
    found: list[int] = []

    def one() -> None:
        found.append(ask(served, "GET", "/api/memory/search?q=pnpm&mode=keyword")[0])

    threads = [threading.Thread(target=one) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [200] * 12


def test_too_many_at_once(served: Server) -> None:
    held = [served.free.acquire(blocking=False) for _ in range(server.AT_ONCE)]
    assert all(held)
    assert ask(served, "GET", "/api/memory/search?q=pnpm")[0] == 503
    for _ in held:
        served.free.release()


def test_a_store_that_came_with_a_clone(served: Server, project: Path) -> None:
    with Cortex.open(project) as cortex:
        cortex.trust.revoke()
    status, told = ask(served, "GET", "/api/memory/search?q=pnpm")
    assert (status, "cortex trust" in told["error"]) == (403, True)
    assert ask(served, "GET", "/api/memory/search?q=pnpm&scope=global")[0] == 200


def test_a_fault_is_logged_and_not_told(
    served: Server, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any, **_named: Any) -> None:
        raise ZeroDivisionError("with AKIAQZ3V7L2M9XK4T8WB")

    monkeypatch.setattr(Cortex, "recall", fail)
    status, told = ask(served, "GET", "/api/memory/search?q=pnpm")
    assert (status, "ZeroDivision" in json.dumps(told)) == (500, False)
    log = (project / ".memory" / "cortex.log").read_text(encoding="utf-8")
    assert "ZeroDivisionError" in log
    assert "AKIA" not in log


# --- the token, and the process


def test_the_token_is_its_users_alone(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    made = endpoints.ensure(home)
    file = endpoints.path(home)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert endpoints.ensure(home) == made
    assert endpoints.ensure(home, fresh=True) != made


def test_a_token_that_others_may_have_read_is_replaced(tmp_path: Path) -> None:
    made = endpoints.ensure(str(tmp_path))
    endpoints.path(str(tmp_path)).chmod(0o644)
    assert endpoints.ensure(str(tmp_path)) != made
    assert endpoints.path(str(tmp_path)).stat().st_mode & 0o777 == 0o600


def test_a_short_token_is_replaced(tmp_path: Path) -> None:
    endpoints.path(str(tmp_path)).write_text("1234\n", encoding="ascii")
    endpoints.path(str(tmp_path)).chmod(0o600)
    assert len(endpoints.ensure(str(tmp_path))) >= 32


def test_a_port_in_use_is_told(served: Server, project: Path) -> None:
    with pytest.raises(CortexError, match="--port"):
        Server(served.access, TOKEN, served.port)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_serves_and_ends(
    number: int, project: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    command = [
        sys.executable,
        "-m",
        "cortex_core.cli",
        "serve",
        "--port",
        "0",
        "--json",
        "--project",
        str(project),
    ]
    process = subprocess.Popen(
        command,
        env=clean_env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        assert told["pid"] == process.pid
        known = Path(told["token_file"]).read_text(encoding="ascii").strip()
        port = int(told["address"].rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(
            "GET", "/api/memory/context", headers={"Authorization": f"Bearer {known}"}
        )
        assert connection.getresponse().status == 200
        process.send_signal(number)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.communicate()

"""The `claude` command, by a double that records how it was started and does what the test says."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex, worker, worker_run
from cortex_core.llm import transports
from cortex_core.records.captures import LedgerEntry
from tests.core.model.conftest import Double, gone, session
from tests.core.model.stub_api import TAKEN, extraction, memory
from tests.core.model.test_curating import LINKED, edge, edges, types
from tests.core.test_worker import contents, spool


def result(answer: str, **fields: object) -> str:
    """What Claude Code prints last of all."""
    made = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 2,
        "result": answer,
        "structured_output": json.loads(answer) if answer[:1] == "{" else None,
        "total_cost_usd": 0.00123,
        "stop_reason": "tool_use",
        "usage": {
            "input_tokens": 1000,
            "output_tokens": 50,
            "cache_read_input_tokens": 20,
            "cache_creation_input_tokens": 0,
        },
        **fields,
    }
    return f"print({json.dumps(json.dumps(made))})"


@pytest.fixture
def claude(command: Callable[[str], Double]) -> Double:
    """A `claude` on PATH that answers with one memory."""
    double = command("claude")
    double.does(result(extraction(memory(quote="releases go out through"))))
    return double


@pytest.fixture
def asking(project: Path) -> Path:
    """A project whose user has chosen the `claude` command."""
    with Cortex.open(project) as cortex:
        cortex.settings.set("extractor", "claude")
        cortex.settings.set("model.deadline", 20.0)
    return project


def run(project: Path, path: Path) -> list[LedgerEntry]:
    """One run of the worker after a session's end; the ledger's rows, oldest first."""
    spool(project, path, "SessionEnd")
    assert worker.main(["--project", str(project)]) == 0
    with Cortex.open(project) as cortex:
        return list(reversed(cortex.sessions.ledger(50)))


def test_the_client_is_shut_off_from_hooks_tools_settings_and_transcripts(
    asking: Path, sessions: Path, claude: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"}
    for name in names:
        monkeypatch.setenv(name, "of the session that the worker came from")
    entries = run(asking, session(asking).write(sessions))
    (call,) = claude.calls
    argv = call["argv"]
    assert isinstance(argv, list)
    assert argv[0] == "-p"
    for flag, value in (
        ("--setting-sources", ""),
        ("--tools", ""),
        ("--output-format", "stream-json"),
        ("--model", "claude-haiku-5-5"),
    ):
        assert argv[argv.index(flag) + 1] == value
    assert "--include-partial-messages" in argv
    assert "--strict-mcp-config" in argv and "--no-session-persistence" in argv
    assert json.loads(argv[argv.index("--json-schema") + 1])["type"] == "object"
    env = call["env"]
    assert isinstance(env, dict)
    assert env["CORTEX_CHILD"] == "1" and env["MAX_STRUCTURED_OUTPUT_RETRIES"] == "1"
    assert not names & set(env)
    assert list(Path(str(call["cwd"])).iterdir()) == []
    assert "nightly export" in str(call["text"]) and "nightly export" not in str(argv)
    assert TAKEN in contents(asking)
    (row,) = [one for one in entries if one.extractor == "claude"]
    assert (row.tokens, row.cost, row.stored) == (1_070, 0.00123, 1)


def test_a_hook_below_the_client_does_nothing(asking: Path, sessions: Path, claude: Double) -> None:
    hook = (
        "import subprocess, sys\n"
        "payload = json.dumps({'hook_event_name': 'SessionEnd', 'session_id': 'ghost', "
        f"'cwd': {str(asking)!r}, 'transcript_path': '/nowhere.jsonl', 'reason': 'other'}})\n"
        f"done = subprocess.run([{sys.executable!r}, '-m', 'cortex_core.hook', 'session-end'], "
        f"input=payload.encode(), capture_output=True, cwd={str(Path.cwd())!r}, "
        f"env={{**os.environ, 'PYTHONPATH': {str(Path(__file__).parents[3])!r}}})\n"
        "assert (done.returncode, done.stdout) == (0, b'')\n"
    )
    claude.does(hook + result(extraction(memory(quote="releases go out through"))))
    entries = run(asking, session(asking).write(sessions))
    assert TAKEN in contents(asking)
    assert not [one for one in entries if one.session == "ghost"]
    assert list((asking / ".memory" / "spool").iterdir()) == []
    assert len(list(sessions.parent.rglob("*.jsonl"))) == 1


FAILURES = {
    "error": ("print('boom', file=sys.stderr); sys.exit(3)", "exited with 3 and no answer (boom)"),
    "silence": ("pass", "no answer"),
    "junk": ("print('Welcome!')", "no answer"),
    "logged out": (
        result("Invalid API key · Please run /login", is_error=True, total_cost_usd=0),
        "/login",
    ),
    "529": (
        result("API Error: 529 overloaded", is_error=True, total_cost_usd=0, api_error_status=529),
        "claude reports: API Error: 529",
    ),
    "400": (
        result("API Error: 400 bad", is_error=True, total_cost_usd=0, api_error_status=400),
        "claude reports: API Error: 400",
    ),
    "no structured answer": (
        result("", is_error=True, subtype="error_max_structured_output_retries"),
        "claude reports: error_max_structured_output_retries",
    ),
    "refusal as an error": (
        result("API Error: can't help with this", is_error=True, total_cost_usd=0.0025),
        "claude reports: API Error: can't help",
    ),
    "not JSON": (result("I could not do that."), "not a JSON object"),
    "refusal": (result("{}", stop_reason="refusal"), "refused"),
    "killed": ("os.kill(os.getpid(), 9)", "exited with -9"),
    "hang": ("time.sleep(60)", "no complete answer within 1 s"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_whatever_the_client_does_the_rules_finds_stand(
    name: str, asking: Path, sessions: Path, claude: Double
) -> None:
    code, reason = FAILURES[name]
    claude.does(code)
    with Cortex.open(asking) as cortex:
        cortex.settings.set("model.deadline", 1.0 if name == "hang" else 20.0)
    path = session(asking).write(sessions)
    entries = run(asking, path)
    (row,) = [one for one in entries if one.extractor == "claude"]
    assert reason in row.error
    kept = contents(asking)
    assert any("make ship" in content for content in kept)
    claude.does(result(extraction(memory(quote="releases go out through"))))
    with Cortex.open(asking) as cortex:
        cortex.settings.set("model.deadline", 20.0)
    run(asking, path)
    assert sorted(contents(asking)) == sorted([*kept, TAKEN])


def streamed(answer: str, size: int = 40) -> str:
    """What Claude Code prints of an answer that it could not use, in pieces as it came."""
    pieces = (answer[at : at + size] for at in range(0, len(answer), size))
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": {"role": "assistant"}},
        {"type": "content_block_start", "content_block": {"type": "tool_use", "input": {}}},
    ]
    events += [{"type": "content_block_delta", "delta": delta} for delta in deltas]
    events.append({"type": "content_block_stop", "index": 0})
    lines = [json.dumps({"type": "stream_event", "event": event}) for event in events]
    lines += [
        json.dumps({"type": "user", "message": {"content": "InputValidationError"}}),
        "Warning: this line is no JSON",
    ]
    unusable = result("", is_error=True, subtype="error_max_structured_output_retries")
    return f"print({chr(10).join(lines)!r})\n{unusable}"


def test_of_an_answer_that_breaks_off_what_is_whole_is_kept(
    asking: Path, sessions: Path, claude: Double
) -> None:
    whole = extraction(memory(quote="releases go out through"), memory("Cut off", quote="releases"))
    claude.does(streamed(whole[: whole.rindex("Cut off") + 4]))
    entries = run(asking, session(asking).write(sessions))
    (row,) = [one for one in entries if one.extractor == "claude"]
    assert TAKEN in contents(asking)
    assert (row.error, row.stored, row.cost) == ("", 1, 0.00123)
    assert row.refused["model: its answer broke off; what was whole was read"] == 1
    assert len(claude.calls) == 1
    with Cortex.open(asking) as cortex:
        assert cortex.llm.waiting() == []


def test_an_answer_of_another_form_than_asked_is_read(
    asking: Path, sessions: Path, claude: Double
) -> None:
    claude.does(streamed(extraction(memory(quote="releases go out through", confidence="high"))))
    entries = run(asking, session(asking).write(sessions))
    (row,) = [one for one in entries if one.extractor == "claude"]
    assert TAKEN in contents(asking) and not row.refused


def test_what_hangs_is_ended_with_all_that_it_started(
    asking: Path, sessions: Path, claude: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transports, "GRACE", 0.2)
    claude.does(
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(json.dumps({'type': 'res'}), flush=True)\n"
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    )
    with Cortex.open(asking) as cortex:
        cortex.settings.set("model.deadline", 1.0)
    run(asking, session(asking).write(sessions))
    (call,) = claude.calls
    assert gone(lambda: os.killpg(int(str(call["pid"])), 0))


def test_without_the_client_the_ledger_says_so(
    asking: Path, sessions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    entries = run(asking, session(asking).write(sessions))
    assert any("no claude command on PATH" in one.error for one in entries)
    with Cortex.open(asking) as cortex:
        assert any("no claude command" in reason for reason in cortex.status().degraded)


def test_auto_takes_a_key_before_the_client_and_the_rules_last(
    asking: Path, claude: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Cortex.open(asking) as cortex:
        cortex.settings.set("extractor", "auto")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
        assert (model := cortex.llm.model()) is not None and model.name == "api"
    with Cortex.open(asking) as cortex:
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        assert (model := cortex.llm.model()) is not None and model.name == "claude"
    with Cortex.open(asking) as cortex:
        monkeypatch.setenv("PATH", "/nowhere")
        assert cortex.llm.model() is None
        assert "no key" in cortex.llm.trouble()


def test_the_client_tells_links_apart_too(asking: Path, claude: Double) -> None:
    claude.does(result(edges(edge(1, "REQUIRES", True), edge(2, "CAUSES"), edge(3, "refines"))))
    with Cortex.open(asking) as cortex:
        for content in LINKED:
            cortex.remember(content, kind="fact")
        worker_run.maintain(cortex)
    told, _ = claude.calls  # then how a merge would read
    argv = told["argv"]
    assert isinstance(argv, list)
    assert "edges" in json.loads(argv[argv.index("--json-schema") + 1])["properties"]
    assert [kind for kind, *_ in types(asking)] == ["REQUIRES", "CAUSES", "refines"]

"""The `codex` command, by a double that prints the events which codex 0.169 prints."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cortex_core import Cortex, agents
from cortex_core.base.errors import ModelFailed
from cortex_core.llm import protocol, transports
from cortex_core.llm.transports import HeadlessTransport
from cortex_core.records.captures import LedgerEntry
from cortex_core.records.model_replies import Usage
from tests.core.model.conftest import Double, gone, session
from tests.core.model.stub_api import TAKEN, extraction, memory
from tests.core.test_worker import contents

USED = {"input_tokens": 1500, "cached_input_tokens": 500, "output_tokens": 40}

SCHEMAS = """\
words = sys.argv[1:]
settings = dict(words[n + 1].split("=", 1) for n, word in enumerate(words) if word == "-c")
form = json.load(open(words[words.index("--output-schema") + 1]))
instructions = open(json.loads(settings["model_instructions_file"])).read()
assert form["additionalProperties"] is False and "You read the record" in instructions
assert settings["features.hooks"] == "false" and settings["project_doc_max_bytes"] == "0"
"""


def events(*told: Mapping[str, object], code: int = 0) -> str:
    """Prints these events between those of every run, and exits with `code`."""
    begun = ({"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"})
    lines = "\n".join(map(json.dumps, (*begun, *told)))
    return f"print({lines!r}); sys.exit({code})"


def answer(text: str) -> str:
    """Prints the events of a run that is answered with `text`."""
    said = {"id": "item_0", "type": "agent_message", "text": text}
    return events(
        {"type": "item.completed", "item": {"type": "error", "message": "a setting is ignored"}},
        {"type": "item.completed", "item": said},
        {"type": "turn.completed", "usage": USED},
    )


def problem(message: str) -> str:
    """Prints the events of a run that fails with `message`."""
    failed = {"type": "turn.failed", "error": {"message": message}}
    return events({"type": "error", "message": message}, failed, code=1)


@pytest.fixture
def codex(command: Callable[[str], Double]) -> Double:
    """A `codex` on PATH that answers with one memory."""
    double = command("codex")
    double.does(SCHEMAS + answer(extraction(memory(quote="releases go out through"))))
    return double


@pytest.fixture
def asking(project: Path) -> Path:
    """A project whose user has chosen the `codex` command."""
    with Cortex.open(project) as cortex:
        cortex.settings.set("extractor", "codex")
        cortex.settings.set("model.deadline", 20.0)
    return project


def read(project: Path, path: Path) -> LedgerEntry:
    """What the model's reading of a finished session left in the ledger."""
    with Cortex.open(project) as cortex:
        cortex.sessions.capture(path, event="SessionEnd", final=True)
        return next(one for one in cortex.sessions.ledger(50) if one.extractor == "codex")


def test_the_client_is_shut_off_from_hooks_tools_settings_and_transcripts(
    asking: Path, sessions: Path, codex: Double
) -> None:
    row = read(asking, session(asking).write(sessions))
    (call,) = codex.calls
    argv, env = call["argv"], call["env"]
    assert isinstance(argv, list) and isinstance(env, dict)
    assert not row.error
    assert argv[0] == "exec" and argv[-1] == "-" and "--model" not in argv
    assert {"--ephemeral", "--ignore-user-config", "--ignore-rules", "--json"} <= set(argv)
    assert argv[argv.index("--sandbox") + 1] == "read-only"
    assert env["CORTEX_CHILD"] == "1"
    assert list(Path(str(call["cwd"])).iterdir()) == []
    assert not Path(argv[argv.index("--output-schema") + 1]).exists()
    assert "nightly export" in str(call["text"]) and "nightly export" not in str(argv)
    assert TAKEN in contents(asking)
    counted = protocol.cost("codex", Usage(input=1000, cache_read=500, output=40))
    assert (row.tokens, row.stored) == (1_540, 1)
    assert row.cost == pytest.approx(counted, abs=1e-6)
    with Cortex.open(asking) as cortex:
        assert cortex.status().unpriced_tokens == 1_540


@pytest.mark.parametrize(
    ("code", "reason", "is_free"),
    [
        (
            "print('boom', file=sys.stderr); sys.exit(3)",
            "exited with 3 and no answer (boom)",
            False,
        ),
        ("os.kill(os.getpid(), 9)", "exited with -9", False),
        (problem("unexpected status 401 Unauthorized: x"), "reports: unexpected status 401", True),
        (problem("exceeded retry limit, last status: 429"), "last status: 429", True),
        (problem("stream disconnected before completion"), "stream disconnected", False),
        (problem('{"error": {"message": "no such model"}}'), "no such model", True),
        (answer("Sorry."), "not a JSON object", False),
        ("print('[1]\\nnull\\n{'); sys.exit(0)", "no answer ([1] null {)", False),
    ],
)
def test_a_failure_is_told_and_the_session_waits(
    code: str, reason: str, is_free: bool, asking: Path, sessions: Path, codex: Double
) -> None:
    codex.does(code)
    path = session(asking).write(sessions)
    row = read(asking, path)
    assert reason in row.error and (row.cost == 0) == is_free
    assert any("make ship" in content for content in contents(asking))
    with Cortex.open(asking) as cortex:
        assert cortex.status().for_model == 1
        codex.does(answer(extraction(memory(quote="releases go out through"))))
        cortex.sessions.ask_model(path, "again")
    assert TAKEN in contents(asking)


def test_what_hangs_is_ended_with_all_that_it_started(
    asking: Path, sessions: Path, codex: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transports, "GRACE", 0.2)
    codex.does(
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    )
    with Cortex.open(asking) as cortex:
        cortex.settings.set("model.deadline", 1.0)
    assert "no complete answer within 1 s" in read(asking, session(asking).write(sessions)).error
    (call,) = codex.calls
    assert gone(lambda: os.killpg(int(str(call["pid"])), 0))


def test_a_model_of_codex_is_asked_for_by_name_and_one_of_claude_never(tmp_path: Path) -> None:
    client = agents.of("codex").headless
    assert client.model("claude-haiku-5-5") == "codex"
    named = client.command_line("codex", "gpt-6-luna", "", {}, tmp_path)
    assert named[named.index("--model") + 1] == "gpt-6-luna"
    assert HeadlessTransport("codex", "claude-haiku-5-5", str(tmp_path)).model == "codex"


def test_auto_takes_a_key_then_the_first_command_that_is_there(
    command: Callable[[str], Double], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name() -> str:
        return transports.connect("auto", "claude-haiku-5-5", str(tmp_path)).name

    for variable in transports.KEYS:
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(ModelFailed, match=r"no key in .*, and .*no claude .*, and .*no codex "):
        name()
    command("codex")
    assert name() == "codex"
    command("claude")
    assert name() == "claude"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
    assert name() == "api"


def test_the_default_cap_allows_ten_medium_sessions_of_a_model_without_a_price() -> None:
    medium = protocol.cost("codex", Usage(input=13_000 + 4_000, output=1_300))
    assert 10 * medium < 0.15 == 300_000 * protocol.price_of("gpt-6-luna").input / 1e6

"""The commands that documents show are run as they are written, each document in one project."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from cortex_core import Cortex
from cortex_core.cli.main import cli
from cortex_core.doctor import connection_checks
from tests.conftest import made
from tests.packaging.test_documents import DOCUMENTS, ROOT
from tests.transcript_samples import Sample

NOT_RUN = {
    r"python3 dev\.py ": "it takes minutes and makes `.venv`; .ci/run does it",
    r"python -m benchmarks\.": "it takes minutes",
    r"(pipx|uv) ": "it installs packages from the network; test_wheel.py installs the wheel",
    r"cortex tui": "it opens the app until a person leaves it; tests/tui",
    r"curl ": "it needs a server that runs; tests/http asks one",
    r"cortex serve": "it runs until it is stopped; tests/http",
    r"cortex team": "it needs a PostgreSQL and other people; tests/core/team runs docs/team.md",
    r"cortex sync(?! status)": "it needs another machine; tests/core/sync",
    r"cortex edit \w+$": "a person edits in a terminal; tests/cli/test_writing.py",
    r"cortex models use (BAAI|sentence)": "it downloads a model",
}
"""Commands, by how they begin, that need a network, another machine, a person or minutes."""

ANSWERED = {
    "cortex sessions forget 5f1c2d3e --for-good --memories --yes": (1, "snapshots know it still"),
    "cortex sessions restore 5f1c2d3e": (3, "the session is not forgotten"),
    "cortex index-code --stale": (3, "no description is out of date"),
    "cortex anchors": (3, "no memory names what was looked up"),
    "cortex anchors 1f3a9c20 --confirm": (2, "the memory is not out of date"),
}
"""Commands that find another state than they are for: the exit code, and why it is right."""

ALTERNATIVES = {
    "cortex review approve",
    "cortex review reject",
    "cortex sessions forget",
    "cortex suggestions keep",
    "cortex undo",
}
"""Pages of the reference whose examples do different things to the same; the commands of other
pages and documents are a story."""

MEMORIES = (
    ("1f3a9c20", "preference", "Use pnpm, never npm, as the package manager"),
    ("77b0e1d4", "gotcha", "The login keeps the staging token, and a retry waits with backoff"),
    ("9c41e7b2", "preference", "Answers to customers are short", "suggested"),
    ("4d83f6a1", "fact", "The warehouse in Tampere closes at noon", "suggested"),
    ("c07a5b9e", "fact", "The map of Ostrava is drawn by hand", "quarantined"),
    ("5e0b7d13", "procedure", "To publish a new version, bump it and then tag it"),
    ("2b61d0aa", "decision", "Dates in exports are in UTC, in every format"),
    ("2b61d0ab", "decision", "Dates in exports are in UTC and in every format"),
    ("2b61d0ac", "fact", "The api listens on port 30, behind the gateway"),
    ("2b61d0ad", "fact", "The api listens on port 30 and is behind the gateway"),
    ("2b61d0ae", "fact", "Tokens live 30 min, as the mobile client refreshes them"),
    ("2b61d0af", "fact", "Tokens live 30 min as the mobile client refreshes them"),
)
"""What the project remembers, with the ids that documents show, and pairs that may be merged."""

BEFORE = (
    "cortex trigger set 1f3a9c20 '!Bash(npm)' 'Edit(src/*.py)'",
    "cortex link 1f3a9c20 77b0e1d4 --type refines",
    "cortex snapshot create",
    *(f"cortex tag {MEMORIES[number % 12][0]} +tag{number}" for number in range(41)),
    "cortex undo 3",
    "cortex worker",
)
"""What was done before the documents' commands: they undo change 41, and redo three."""

SESSION = "5f1c2d3e-8a4b-4c1d-9e2f-0a1b2c3d4e5f"
"""The session that documents show."""

FILES = {
    "CLAUDE.md": "# Rules\n\n- Never push to main.\n",
    "docs/AGENTS.md": "# Rules\n\n- Run the tests before each commit.\n",
    "docs/decisions.md": "# Decisions\n\nWe chose SQLite because nothing has to be installed.\n",
    "src/payment/processor.ts": "export function charge(cents: number): void {}\n",
    "src/auth/session.ts": "export function refresh(): void {}\n",
    "src/limiter.py": "def allow(address: str) -> bool:\n    return True\n",
    "src/api.py": "PORT = 8080\n",
    "notes.jsonl": '{"content": "Staging runs Postgres 16"}\n',
    "note.txt": "Use pnpm, never npm, in this repository and its examples\n",
    "questions.txt": "which package manager\nhow long do tokens live\n",
    "vault/pool.md": "# Pool\n\nThe pool has eight connections.\n",
    "payload.json": json.dumps({"session_id": SESSION, "hook_event_name": "SessionStart"}),
    "~/notes/one.md": "# Mail\n\nMails over 10 MB are refused.\n",
}
"""Files that the commands name."""


def shown() -> Iterator[tuple[str, list[str]]]:
    """Each document with the commands that its shell blocks show, in order; of the reference, each
    command's page is a document, as its examples are no story."""
    for document in DOCUMENTS:
        text = (ROOT / document).read_text("utf-8")
        pages = text.split("\n### ") if document == "docs/commands.md" else [text]
        for page in pages:
            blocks = re.findall(r"^```(?:sh|console)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
            lines = "".join(blocks).replace("\\\n", "").splitlines()
            if commands := [line for line in lines if not line.startswith("#")]:
                name = page.partition("\n")[0].strip("`#") if len(pages) > 1 else document
                yield name, commands


def as_line(memory: tuple[str, ...]) -> str:
    """The line of JSON by which a memory is imported."""
    id, kind, said, *status = memory
    given = {"id": f"{id}-0000-4000-8000-000000000000", "kind": kind, "content": said}
    own = {"rule": "person", "tags": ["auth"], "session": SESSION, "offset": 0}
    own |= {"globs": ["src/auth/**"]} if kind == "gotcha" else {}
    return json.dumps(given | own | {"status": "".join(status) or "active"})


def settle(home: Path, patch: pytest.MonkeyPatch) -> Path:
    """Make `home` the home folder and return the project in it."""
    for name in ("CLAUDE_CONFIG_DIR", "CORTEX_HOME"):
        patch.delenv(name, raising=False)
    patch.setenv("HOME", str(home))
    patch.setenv("PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    patch.setenv("EDITOR", "true")
    # `cortex doctor` rightly fails where other programs hold up the hooks.
    patch.setattr(connection_checks, "END", math.inf)
    return home / "work" / "your-project"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A home, and in it the project in which the documents' commands have something to act on."""
    home = tmp_path_factory.mktemp("shown") / "home"
    with pytest.MonkeyPatch.context() as patch:
        project = settle(home, patch)
        shutil.copytree(repository, project)
        (home / "work" / "shop" / ".git").mkdir(parents=True)
        for name, text in FILES.items():
            path = home / name[2:] if name.startswith("~") else project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        said = Sample("shown", str(project), start=datetime(2026, 11, 20, 9, tzinfo=UTC))
        said.session = SESSION
        for _ in range(32):  # the documents show its message 128
            said.human("Why did the tunnel lose its lease?").assistant(
                "The flaky login test kept it."
            )
            said.tool("Edit", {"file_path": str(project / "src/tunnel.py")}, "Done.")
            said.tool("Bash", {"command": "npm install"}, "added 1 package")
        said.tool("Bash", {"command": "git commit -m Keep"}, "[main 1a2b3c4] Keep\n 1 file changed")
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(project))
        sessions = home / ".claude" / "projects" / slug
        for folder in (sessions, home / "copies", home / "backup" / "sessions"):
            folder.mkdir(parents=True)
            said.write(folder)
        (sessions / "memory").mkdir()
        (sessions / "memory" / "MEMORY.md").write_text(
            "- The relay reads the outbox each second.\n"
        )
        with Cortex.open(project) as cortex:
            cortex.exchange.import_jsonl(map(as_line, MEMORIES), own=True)
            cortex.exchange.import_transcripts([sessions])
            cortex.models.embed_pending()
            cortex.consolidate()
        patch.chdir(project)
        for line in BEFORE:
            assert ran(line)[0] == 0, line
    shutil.copytree(home, home.with_name("kept"), symlinks=True)
    return home


def begin_again(home: Path, patch: pytest.MonkeyPatch) -> None:
    """Have the home as `filled` made it."""
    shutil.rmtree(home)
    shutil.copytree(home.with_name("kept"), home, symlinks=True)
    made(settle(home, patch))


ALIKE = {"cortex doctor", "cortex demo"}
"""Commands that run in folders of their own, and for seconds: once is enough."""
OWN = {"hook", "worker", "mcp"}
"""Programs that change the process that runs them."""


def ran(line: str) -> tuple[int, str]:
    """The exit code of a command as a shell runs it, and what it printed.

    A plain call of `cortex` runs in this process, which spares the start of another.
    """
    words = shlex.split(line, comments=True)
    is_plain = words[:1] == ["cortex"] and not re.search(r"[|<$]", line)
    if is_plain and not OWN & {*words[1:2]}:
        named = [str(Path(one).expanduser()) if one[0] == "~" else one for one in words[1:]]
        done = CliRunner().invoke(cli, named, input="Stop the workers\nCopy the file\n")
        return done.exit_code, done.output
    shell = ["bash", "-o", "pipefail", "-c", line]
    run = subprocess.run(shell, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


ran_once = cache(ran)


@pytest.mark.parametrize(
    ("document", "commands"), [pytest.param(*one, id=one[0]) for one in shown()]
)
def test_what_documents_show_runs(
    document: str, commands: list[str], filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = filled / "work" / "your-project"
    failed = []
    for number, line in enumerate(commands):
        if number == 0 or document in ALTERNATIVES:
            begin_again(filled, monkeypatch)
            monkeypatch.chdir(ROOT if document == "docs/architecture.md" else project)
        if line.startswith("cd "):
            monkeypatch.chdir(project.parent / line[3:])
        elif not any(re.match(begins, line) for begins in NOT_RUN):
            code, said = (ran_once if line in ALIKE else ran)(line)
            if code != ANSWERED.get(line, (0,))[0] or re.search("Internal error|Traceback", said):
                failed.append(f"{line} -> {code}: {said[-300:]}")
    assert failed == []


def test_the_exceptions_are_needed_and_few() -> None:
    lines = [line for _, commands in shown() for line in commands]
    assert {*ANSWERED} <= {*lines}
    spared = {line: [one for one in NOT_RUN if re.match(one, line)] for line in lines}
    assert {one for found in spared.values() for one in found} == {*NOT_RUN}
    assert sum(map(bool, spared.values())) <= 69, "first look for a way to run what was added"

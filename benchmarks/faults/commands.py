"""Every command that changes something: what it needs to find, and how it is called.

`unknown` compares the tables with the command line, so that a new command is not forgotten.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import NamedTuple

import click


class Case(NamedTuple):
    """One way to call a command that changes something."""

    command: str
    """The command as the table of commands names it."""
    words: tuple[str, ...]
    """All words after `cortex`; a label in braces stands for the id of that memory."""
    about: str = ""
    """What distinguishes this case from others of the command."""
    before: tuple[tuple[str, ...], ...] = ()
    """Commands that prepare the project."""
    resumes: bool = False
    """Whether the command works in parts, so that it is run again after a fault."""
    data: str = ""
    """What it reads from stdin."""
    spool: bool = False
    """Whether a hook recorded both sessions before."""

    @property
    def completes(self) -> bool:
        """Whether vectors and links that the worker would add belong to what it leads to."""
        return self.resumes or self.command == "index-code"

    @property
    def name(self) -> str:
        """How the table of results calls it."""
        return f"{self.command} ({self.about})" if self.about else self.command


def _case(
    text: str,
    about: str = "",
    *before: str,
    resumes: bool = False,
    length: int = 1,
    data: str = "",
    spool: bool = False,
) -> Case:
    """A case from a command line; `length` is the number of words of the command's name."""
    words = shlex.split(text)
    prepared = tuple(tuple(shlex.split(each)) for each in before)
    return Case(" ".join(words[:length]), tuple(words), about, prepared, resumes, data, spool)


_SPAN = "{pnpm} {commits}"
"""A memory of each store."""

_SECRET = "har[b]our"
"""A pattern of the user's own for secrets; it does not match itself."""

_STOP = json.dumps(
    {
        "hook_event_name": "Stop",
        "session_id": "5e551042-0000-4000-8000-000000000001",
        "stop_hook_active": False,
        "last_assistant_message": "Done.",
    }
)

CASES: tuple[Case, ...] = (
    _case("remember 'Builds run on the new runner'"),
    _case("remember 'Reviews end with a summary' --global", "global"),
    _case("edit {sqlite} --content 'We chose SQLite because nothing is installed'"),
    _case("tag {sqlite} +storage"),
    _case("pin {sqlite}"),
    _case("pin {tokens} --off", "off"),
    _case("reinforce {faded}"),
    _case("give {sqlite} never"),
    _case("surface --wrong {sqlite} --prompt database"),
    _case("trigger set {sqlite} '!Bash(mysql)'", length=2),
    _case("trigger off {sqlite}", "", "trigger set {sqlite} '!Bash(mysql)'", length=2),
    _case("trigger on {pnpm}", "", "trigger off {pnpm}", length=2),
    _case("trigger guard {sqlite} ask", "", "trigger set {sqlite} '!Bash(mysql)'", length=2),
    _case("move {sqlite} --to global", "to global"),
    _case("move {commits} --to project", "to project"),
    _case("link {sqlite} {pnpm} --type relates_to"),
    _case("link {login} {tokens} --remove", "remove"),
    _case("forget {sqlite}", "one store"),
    _case(f"forget {_SPAN}", "both stores"),
    _case("restore {gone}"),
    _case("episode add 'The second release went out'", length=2),
    _case("procedure add 'Restore a backup' --step 'Stop the service'", length=2),
    _case("undo", "of remember", "remember 'Builds run on the new runner'"),
    _case("undo", "of a move", "move {sqlite} --to global"),
    _case("undo", "of forget in both stores", f"forget {_SPAN}"),
    _case("undo", "of a merge", "review approve 1"),
    _case("undo", "of an import", "import jsonl rows.jsonl"),
    _case("redo", "of remember", "remember 'Builds run on the new runner'", "undo"),
    _case("redo", "of a move", "move {sqlite} --to global", "undo"),
    _case("redo", "of forget in both stores", f"forget {_SPAN}", "undo"),
    _case("trash empty --yes", "", "lifecycle", length=2),
    _case("snapshot create", length=2),
    _case("snapshot restore 1 --yes", "", "remember 'Builds run on the new runner'", length=2),
    _case("import transcripts", length=2, resumes=True),
    _case("import jsonl rows.jsonl", length=2, resumes=True),
    _case("import markdown notes --yes", "notes", length=2, resumes=True),
    _case(
        "import markdown vault --yes",
        "vault",
        "export markdown vault",
        "forget {sqlite}",
        "edit {login} --content 'The login page is rendered by the gateway'",
        length=2,
        resumes=True,
    ),
    _case("import claude-memory --yes", length=2, resumes=True),
    _case("import claude-md --yes", length=2, resumes=True),
    _case("index-code src", resumes=True),
    _case("index-code src/beacon.py --force", "again", "index-code src"),
    _case("export jsonl out.jsonl", length=2, resumes=True),
    _case("export markdown vault", length=2, resumes=True),
    _case(
        "export markdown vault --force",
        "again",
        "export markdown vault",
        "forget {sqlite}",
        length=2,
        resumes=True,
    ),
    _case("pause"),
    _case("pause --off", "off", "pause"),
    _case("replay {session}", "", "import transcripts", resumes=True),
    _case("sessions forget {session} --memories", "", "import transcripts", length=2),
    _case(
        "sessions forget {session} --for-good --memories --yes",
        "for good",
        "import transcripts",
        length=2,
        resumes=True,
    ),
    _case(
        "sessions restore {session}",
        "",
        "import transcripts",
        "sessions forget {session}",
        length=2,
    ),
    _case(
        "undo",
        "of a forgotten session",
        "import transcripts",
        "sessions forget {session} --memories",
    ),
    _case("suggestions keep {maybe}", length=2),
    _case("suggestions discard {maybe}", length=2),
    _case("suggestions keep {doubtful} --quarantined", "quarantined", length=2),
    _case("suggestions discard {doubtful}", "quarantined", length=2),
    _case("rules set prompt-fact off", length=2),
    _case(
        "rules kept",
        "",
        "trigger set {sqlite} '!Bash(mysql)'",
        "import transcripts",
        length=2,
        resumes=True,
    ),
    _case("trust", "", "trust --off"),
    _case("trust --off", "off"),
    _case(
        "consolidate",
        "proposes",
        "remember 'The login page is rendered on the server alone'",
        resumes=True,
    ),
    _case("review approve 1", length=2),
    _case(
        "review approve --all",
        "all",
        "remember 'Always run the migrations before the deploy, and update the notes'",
        "remember 'Run the migrations before each deploy and update the notes'",
        "consolidate",
        length=2,
    ),
    _case("review approve 1 --keep left", "left", length=2),
    _case("review approve 1 --keep right", "right", length=2),
    _case("review approve 1 --keep newer", "newer", length=2),
    _case("review reject 1", length=2),
    _case("review reject 1 --distinct", "distinct", length=2),
    _case("reflect"),
    _case(
        "secrets scrub --yes --remove-snapshots",
        "",
        f"config set redact.extra {_SECRET}",
        length=2,
        resumes=True,
    ),
    _case("lifecycle"),
    _case("models use --reembed", "reembed", length=2, resumes=True),
    _case("models use sentence-transformers/all-MiniLM-L6-v2", length=2),
    _case("config set surface.tokens 400", length=2),
    _case("install --no-trial --no-server", resumes=True),
    _case("uninstall", "", "install --no-trial --no-server", resumes=True),
    _case("doctor --fix", resumes=True),
    _case("hook stop", data=_STOP, resumes=True),
    _case("worker", spool=True, resumes=True),
)

READING: dict[str, str] = {
    "recall": "counts what it found, and answers even where it cannot",
    **dict.fromkeys(
        (
            "show",
            "list",
            "why",
            "episode list",
            "procedure list",
            "log",
            "trash list",
            "snapshot list",
            "suggestions list",
            "rules list",
            "surface",
            "review list",
            "review show",
            "status",
            "models list",
            "config get",
            "trigger list",
            "trigger try",
            "sessions list",
            "sessions show",
            "sync status",
            "help",
        ),
        "reads",
    ),
    **dict.fromkeys(
        ("sync add", "sync run", "sync remove", "sync passphrase"),
        "needs a second machine: tests/core/sync interrupts it",
    ),
    **dict.fromkeys(
        (
            f"team {verb}"
            for verb in (
                "migrate",
                "init",
                "join",
                "leave",
                "members",
                "propose",
                "approve",
                "reject",
                "revert",
                "erase",
            )
        ),
        "needs a hub: benchmarks/hub_writers.py breaks the hub",
    ),
    **dict.fromkeys((f"team {verb}" for verb in ("status", "requests", "search")), "reads"),
    "report": "compares what was said since, suggests what comes back, and notes what it counted",
    "procedure outcome": "writes as reinforce does",
    "anchors": "reads, and confirms as reinforce does",
    "demo": "works in a folder of its own and removes it",
    "prove": "reads transcripts, and works in a folder of its own that it removes",
    "tui": "calls the methods behind the commands",
    "serve": "calls the methods behind the commands",
    "mcp": "calls the methods behind the commands",
}
"""The commands that are left out, and why."""


def names() -> Iterator[str]:
    """Every command of the command line."""
    from cortex_core.cli.main import cli

    context = click.Context(cli)
    for name in cli.list_commands(context):
        found = cli.get_command(context, name)
        if isinstance(found, click.Group):
            yield from (f"{name} {inner}" for inner in found.commands)
        if found is not None and not (isinstance(found, click.Group) and found.commands):
            yield name


def unknown() -> set[str]:
    """The commands that are neither broken by these campaigns nor left out with a reason."""
    return set(names()) - {case.command for case in CASES} - set(READING)

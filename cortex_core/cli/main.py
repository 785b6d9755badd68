"""The `cortex` command: the table of commands, and how a run starts and ends.

Command modules are imported only when their command runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from cortex_core.cli import command, output
from cortex_core.cli.command import LazyGroup, Run

COMMANDS = {
    "Read": {
        "recall": ("reading:recall", "Search memories by words and by meaning."),
        "search": ("reading:recall", "Alias of recall."),
        "about": ("reading:about", "Show what is known about a topic."),
        "show": ("reading:show", "Show one memory in full."),
        "list": ("reading:listing", "List memories."),
        "recent": ("reading:recent", "List the newest memories."),
        "decisions": ("reading:decisions", "List the decisions, newest first."),
        "timeline": ("reading:timeline", "Show what was learned before and after a memory."),
        "neighbours": ("reading:neighbours", "Show the memories linked to a memory."),
        "why": ("reading:why", "Say why a memory is as it is, or what would become of a text."),
        "turn": ("reading:turn", "Show the session turn that a memory came from."),
        "sessions": ("sessions:sessions", "Search the conversations that were kept."),
        "session": ("sessions:session", "Read one conversation."),
    },
    "Write": {
        "remember": ("writing:remember", "Store a memory."),
        "edit": ("writing:edit", "Change the text or fields of a memory."),
        "replace": ("writing:replace", "Replace a memory by a new one."),
        "tag": ("writing:tag", "Add and remove tags."),
        "pin": ("writing:pin", "Pin memories: always inject them, never let them decay."),
        "unpin": ("writing:unpin", "Unpin memories."),
        "reinforce": ("writing:reinforce", "Reset the decay of memories."),
        "trigger": ("triggers:trigger", "Recall a rule at the tool calls that it is about."),
        "deadends": (
            "triggers:deadends",
            "List the ways that failed here, why, and what worked instead.",
        ),
        "give": ("writing:give", "Set the injection policy of memories."),
        "inject": ("writing:give", "Alias of give."),
        "move": ("writing:move", "Move memories between the project store and the global store."),
        "link": ("writing:link", "Link two memories."),
        "unlink": ("writing:unlink", "Remove a link."),
        "forget": ("writing:forget", "Archive memories, by id or by words."),
        "episode": ("practice:episode", "Keep a history of what was done."),
        "procedure": ("practice:procedure", "Keep procedures, and how well they worked."),
        "restore": ("writing:restore", "Restore archived or superseded memories."),
    },
    "History": {
        "log": ("history:log", "List the changes."),
        "undo": ("history:undo", "Undo the last change, or the last few."),
        "redo": ("history:redo", "Redo the last undone change, or the last few."),
        "trash": ("history:trash", "List or empty the trash."),
        "snapshot": ("history:snapshot", "List, create or restore snapshots of the stores."),
    },
    "Capture": {
        "import": ("exchange:imports", "Import past sessions, Markdown or JSONL."),
        "index-code": (
            "exchange:index_code",
            "Describe source files, so that queries find their code.",
        ),
        "export": ("exchange:exports", "Export memories as Markdown or JSONL."),
        "pause": ("reviewing:pause", "Pause capture in this project."),
        "resume": ("reviewing:resume", "Resume capture in this project."),
        "replay": ("reviewing:replay", "Read the transcript of a session again from its start."),
        "suggestions": ("reviewing:suggestions", "Review the memories that capture only suggests."),
        "quarantine": ("reviewing:quarantine", "Review the memories that capture does not trust."),
        "rules": (
            "rules:rules",
            "Set what each capture rule may keep, and show how your own rules were kept.",
        ),
        "inspect": ("reviewing:inspect", "Show what capture did, session by session."),
        "stats": (
            "reviewing:stats",
            "Show figures over time: captured, learned, injected, used, paid.",
        ),
        "report": (
            "repeating:report",
            "Show what you had to say again, and whether memory had it.",
        ),
    },
    "Share": {
        "sync": ("sync:sync", "Exchange memories with your other machines."),
        "team": ("team:team", "Share memories with a team, each after another member approved it."),
    },
    "Inject": {
        "surface": ("reading:surface", "Show what Claude gets at session start."),
        "context": ("reading:surface", "Alias of surface."),
        "receipts": ("reading:receipts", "Show what was injected, and whether it was used."),
        "trust": (
            "reading:trust",
            "Believe a .memory folder that came with a clone, and inject its memories.",
        ),
        "untrust": ("reading:untrust", "Stop injecting the memories of this project."),
    },
    "Curate": {
        "consolidate": ("reviewing:consolidate", "Find memories that are likely to say the same."),
        "anchors": (
            "anchors:anchors",
            "Show what memories name of the project, and what has become of it.",
        ),
        "review": ("reviewing:review", "Review proposals to merge memories."),
        "reflect": ("practice:reflect", "Show an overview of what the memories have in common."),
        "core": ("practice:core", "Show the most important memories on one page."),
    },
    "Maintain": {
        "status": ("reviewing:status", "Show the state of the stores, capture and the model."),
        "doctor": ("doctor:doctor", "Check for all known problems."),
        "secrets": ("doctor:secrets", "Find stored secrets, and remove them."),
        "lifecycle": ("reviewing:lifecycle", "Archive decayed memories, and prune archived ones."),
        "forecast": ("reviewing:forecast", "Show which memories decay next."),
        "models": ("settings:models", "List and choose embedding models, and recompute vectors."),
        "config": ("settings:config", "Read and change settings."),
        "demo": ("installing:demo", "Try Cortex on a made-up session, separate from your own."),
    },
    "Claude Code": {
        "install": ("installing:install", "Connect Cortex with agents."),
        "uninstall": ("installing:uninstall", "Disconnect Cortex from agents."),
    },
    "Internal": {
        "tui": ("installing:tui", "Open the terminal app, like cortex without a command."),
        "hook": ("installing:hook", "Handle a hook event of Claude Code."),
        "worker": ("installing:worker", "Capture what the hooks recorded."),
        "serve": ("installing:serve", "Serve scripts on this machine over HTTP."),
        "mcp": ("installing:mcp", "Serve memories to an agent over MCP."),
    },
}
"""Per heading and command: `file:function`, the file without `_commands`, and its summary.

The one table that help, completion and tests read; listing commands imports none of them."""

EPILOG = (
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found. You can shorten an id to its "
    "first characters, at least four.\n\n"
    'Completion: eval "$(_CORTEX_COMPLETE=bash_source cortex)" in .bashrc, zsh_source for zsh, '
    "fish_source for fish."
)


class CortexCommand(LazyGroup):
    """The outermost command; every run ends through it."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run the command line and exit with its code."""
        output.prepare()
        words = [_readable(word) for word in (sys.argv[1:] if args is None else args)]
        run = Run()
        extra |= {"standalone_mode": False, "obj": run}
        work = super().main
        sys.exit(command.exit_code(lambda: work(words, *rest, **extra), lambda: run.project))


def _readable(word: str) -> str:
    """`word` without undecodable bytes, unless it is the name of an existing file."""
    if word.isascii() or _names_a_file(word):
        return word
    return word.encode("utf-8", "replace").decode("utf-8")


def _names_a_file(word: str) -> bool:
    try:
        return Path(word).exists()
    except (OSError, ValueError):
        return False


def _print_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"cortex {version('agent-cortex')}")
        context.exit()


@click.group(
    cls=CortexCommand,
    name="cortex",
    sections=COMMANDS,
    invoke_without_command=True,
    epilog=EPILOG,
    examples=(
        "cortex",
        "cortex import transcripts",
        'cortex recall "which package manager"',
        'cortex remember "Use pnpm, never npm" --kind preference --priority 8',
        "cortex undo",
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """A memory for Claude Code. Without a command, cortex opens the terminal app."""
    if context.invoked_subcommand is None:
        name = "tui" if output.watched() else "status"
        command = cli.get_command(context, name)
        if command is not None:
            context.invoke(command)


def main() -> None:
    """The entry point of the installed `cortex`."""
    cli(prog_name="cortex")

"""The `cortex` command: the table of commands, and how a run starts and ends.

Command modules are imported only when their command runs.
"""

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from cortex_core import __version__
from cortex_core.cli import command, output

COMMANDS = {
    "Every day": {
        "recall": ("reading:recall", "Search memories by words and by meaning."),
        "remember": ("writing:remember", "Store a memory."),
        "show": ("reading:show", "Show one memory in full."),
        "list": ("reading:listing", "List memories."),
        "edit": ("writing:edit", "Change the text or fields of a memory."),
        "forget": ("writing:forget", "Archive memories, by id or by words."),
        "pin": ("writing:pin", "Pin memories: always inject them, never let them decay."),
        "undo": ("history:undo", "Undo the last change, or the last few."),
        "status": ("reviewing:status", "Show the state of the stores, capture and the model."),
    },
    "Look back": {
        "sessions": ("sessions:sessions", "Search the conversations that were kept."),
        "log": ("history:log", "List the changes."),
        "report": (
            "repeating:report",
            "Show what you had to say again, and whether memory had it.",
        ),
        "surface": ("reading:surface", "Show what an agent gets at session start."),
    },
    "Decide": {
        "review": ("reviewing:review", "Review proposals to merge memories."),
        "suggestions": ("reviewing:suggestions", "Review the memories that capture only suggests."),
        "rules": (
            "rules:rules",
            "Set what each capture rule may keep, and show how your own rules were kept.",
        ),
    },
    "Carry": {
        "import": ("exchange:imports", "Import past sessions, Markdown or JSONL."),
        "export": ("exchange:exports", "Export memories as Markdown or JSONL."),
        "sync": ("sync:sync", "Exchange memories with your other machines."),
        "team": ("team:team", "Share memories with a team, each after another member approved it."),
    },
    "Set up": {
        "install": ("installing:install", "Connect Cortex with agents."),
        "doctor": ("doctor:doctor", "Check for all known problems."),
        "config": ("settings:config", "Read and change settings."),
        "demo": ("installing:demo", "Try Cortex on a made-up project, separate from your own."),
        "prove": (
            "installing:prove",
            "Replay your past sessions to see what Cortex would have been worth.",
        ),
    },
    "More about memories": {
        "trigger": ("rules:trigger", "Recall a rule at the tool calls that it is about."),
        "why": ("reading:why", "Say why a memory is as it is, or what would become of a text."),
        "tag": ("writing:tag", "Add and remove tags."),
        "reinforce": ("writing:reinforce", "Reset the decay of memories."),
        "give": ("writing:give", "Set the injection policy of memories."),
        "move": (
            "writing:move",
            "Move memories between the project store, the global store and other projects.",
        ),
        "link": ("writing:link", "Link two memories, or remove the links between them."),
        "restore": ("writing:restore", "Restore archived or superseded memories."),
        "redo": ("history:redo", "Redo the last undone change, or the last few."),
        "trash": ("history:trash", "List or empty the trash."),
        "snapshot": ("history:snapshot", "List, create or restore snapshots of the stores."),
    },
    "More about capture": {
        "pause": ("reviewing:pause", "Pause capture in this project."),
        "replay": ("reviewing:replay", "Read the transcript of a session again from its start."),
        "index-code": (
            "exchange:index_code",
            "Describe source files, so that queries find their code.",
        ),
        "trust": (
            "reading:trust",
            "Trust a .memory folder that came with a clone, and inject its memories.",
        ),
    },
    "Upkeep": {
        "consolidate": ("reviewing:consolidate", "Find memories that are likely to say the same."),
        "anchors": (
            "reading:anchors",
            "Show what memories name of the project, and what has become of it.",
        ),
        "lifecycle": ("reviewing:lifecycle", "Archive decayed memories, and prune archived ones."),
        "reflect": ("practice:reflect", "Show an overview of what the memories have in common."),
        "secrets": ("doctor:secrets", "Find stored secrets, and remove them."),
        "models": ("settings:models", "List and choose embedding models, and recompute vectors."),
        "uninstall": ("installing:uninstall", "Disconnect Cortex from agents."),
        "help": ("help:help_", "Show this list, all commands, or what one of them does."),
    },
    "For agents and scripts": {
        "episode": ("practice:episode", "Keep a history of what was done."),
        "procedure": ("practice:procedure", "Keep procedures, and how well they worked."),
        "tui": ("installing:tui", "Open the terminal app, like cortex without a command."),
        "hook": ("installing:hook", "Handle a hook event of an agent."),
        "worker": ("installing:worker", "Capture what the hooks recorded."),
        "mcp": ("installing:mcp", "Serve memories to an agent over MCP."),
        "serve": ("installing:serve", "Serve scripts on this machine over HTTP."),
    },
}
"""Per heading and command: `file:function`, the file without `_commands`, and its summary.

The one table that help, completion and tests read; listing commands imports none of them."""

SHOWN = 5
"""The sections, of 25 commands, that fit on one screen of help."""

ALIASES = {
    "search": "recall",
    "about": "recall --wide --limit 20",
    "recent": "list --sort created --limit 10",
    "decisions": "list --kind decision --sort created",
    "timeline": "show --around 5",
    "neighbours": "show --links 1",
    "turn": "show --turn",
    "session show": "sessions show",
    "session forget": "sessions forget",
    "session restore": "sessions restore",
    "session": "sessions show",
    "unpin": "pin --off",
    "inject": "give",
    "deadends": "trigger list --dead-ends",
    "resume": "pause --off",
    "untrust": "trust --off",
    "context": "surface",
    "inspect": "report --of ledger",
    "stats": "report --of figures",
    "receipts": "report --of receipts",
    "forecast": "lifecycle --forecast",
    "core": "reflect --core",
    "review keep-left": "review approve --keep left",
    "review keep-right": "review approve --keep right",
    "review supersede": "review approve --keep newer",
    "review distinct": "review reject --distinct",
    "procedure match": "procedure list",
    "secrets scan": "secrets scrub --dry-run",
    "config path": "config get --path",
    "config list": "config get",
    "models reembed": "models use --reembed",
    "sync machine": "sync status --rename",
    "team request": "team requests",
    "team change": "team propose",
    "team add-member": "team members --add",
    "team remove-member": "team members --remove",
    "team withdraw": "team reject --withdraw",
    "quarantine discard": "suggestions discard",
    "quarantine list": "suggestions list --quarantined",
    "quarantine release": "suggestions keep --quarantined",
    "unlink": "link --remove",
    "team pull": "team status --pull",
}
"""Names that work and are listed nowhere: each means a command with options."""

EPILOG = (
    "All commands: cortex help all. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found. "
    "You can shorten an id to its first characters, at least four.\n\n"
    "To complete commands, ids and settings by Tab, in the file that your shell reads: "
    'eval "$(_CORTEX_COMPLETE=bash_source cortex)", with zsh_source in zsh; in fish '
    "_CORTEX_COMPLETE=fish_source cortex | source"
)


class CortexCommand(command.LazyGroup):
    """The outermost command; every run ends through it."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run the command line and exit with its code."""
        output.prepare()
        words = [_readable(word) for word in (sys.argv[1:] if args is None else args)]
        run = command.Run()
        extra |= {"standalone_mode": False, "obj": run}
        work = super().main
        sys.exit(command.exit_code(lambda: work(words, *rest, **extra), lambda: run.project))


def _readable(word: str) -> str:
    """`word` without undecodable bytes, unless it is the name of an existing file."""
    is_fine = word.isascii() or os.path.lexists(word)
    return word if is_fine else word.encode("utf-8", "replace").decode("utf-8")


@click.group(
    cls=CortexCommand,
    name="cortex",
    sections=COMMANDS,
    aliases=ALIASES,
    shown=SHOWN,
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="cortex %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """A memory for coding agents. Without a command, cortex opens the terminal app."""
    if context.invoked_subcommand is None:
        command = cli.get_command(context, "tui" if output.paints() else "status")
        if command is not None:
            context.invoke(command)


def main() -> None:
    """The entry point of the installed `cortex`."""
    cli(prog_name="cortex")

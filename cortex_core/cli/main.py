"""The `cortex` command: which commands there are, and how a run begins and ends.

Command modules are imported only when their command runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from cortex_core.cli import errors, output
from cortex_core.cli.command import Entry, LazyGroup, Run

COMMANDS: dict[str, dict[str, Entry]] = {
    "Read": {
        "recall": Entry("recalling:recall", "Search memory by words and by meaning."),
        "about": Entry("recalling:about", "Show what is known about a topic."),
        "show": Entry("reading:show", "Show one memory whole."),
        "list": Entry("reading:listing", "List memories."),
        "recent": Entry("reading:recent", "List the newest memories."),
        "decisions": Entry("reading:decisions", "List the decisions taken, the newest first."),
        "timeline": Entry("reading:timeline", "Show what was learned around a memory."),
        "neighbours": Entry("reading:neighbours", "Show what a memory is linked with."),
        "turn": Entry("tracing:turn", "Show the turn of a session that a memory came from."),
    },
    "Write": {
        "remember": Entry("writing:remember", "Store a memory."),
        "edit": Entry("writing:edit", "Change a memory's text or fields."),
        "tag": Entry("marking:tag", "Add and remove tags."),
        "pin": Entry("marking:pin", "Pin memories: always given, never fading."),
        "unpin": Entry("marking:unpin", "Take pins off."),
        "reinforce": Entry("marking:reinforce", "Keep memories from fading: they start afresh."),
        "give": Entry("marking:give", "Say whether memories may be given unasked."),
        "move": Entry("marking:move", "Move memories between the project and the global store."),
        "link": Entry("writing:link", "Link two memories."),
        "unlink": Entry("writing:unlink", "Take a link away."),
        "retype": Entry("tracing:retype", "Give a link another type."),
        "forget": Entry("forgetting:forget", "Archive memories, by id or by words."),
        "episode": Entry("practising:episode", "Keep a daily log of what was done."),
        "procedure": Entry("practising:procedure", "Keep how things are done, and how it went."),
        "restore": Entry("forgetting:restore", "Bring archived or superseded memories back."),
    },
    "History": {
        "log": Entry("history:log", "List the changes made."),
        "undo": Entry("history:undo", "Take back the last change, or the last few."),
        "redo": Entry("history:redo", "Make the last undone change again, or the last few."),
        "trash": Entry("history:trash", "List or empty the trash."),
        "snapshot": Entry("history:snapshot", "List, make or restore snapshots of the stores."),
    },
    "Capture": {
        "import": Entry("carrying:imports", "Bring memories in: past sessions, Markdown, JSONL."),
        "index-code": Entry("indexing:index_code", "Describe source files, to find their code."),
        "export": Entry("carrying:exports", "Write memories out as Markdown or JSONL."),
        "pause": Entry("capturing:pause", "Stop capturing in this project."),
        "resume": Entry("capturing:resume", "Capture in this project again."),
        "replay": Entry("capturing:replay", "Read a session's transcript again from its start."),
        "suggestions": Entry("capturing:suggestions", "Judge what capture only suggests."),
        "quarantine": Entry("capturing:quarantine", "Judge what capture does not trust."),
        "rules": Entry("capturing:rules", "Show and set what each rule of capture may keep."),
        "inspect": Entry("capturing:inspect", "Show what capture did, session by session."),
    },
    "Give": {
        "surface": Entry("giving:surface", "Show what Claude is given at a session's start."),
        "context": Entry("giving:surface", "The same as surface."),
        "receipts": Entry("giving:receipts", "Show what was given, and whether it was used."),
        "trust": Entry("giving:trust", "Give memories of a store that came with a clone."),
        "untrust": Entry("giving:untrust", "Stop giving this project's memories."),
    },
    "Curate": {
        "consolidate": Entry("reviewing:consolidate", "Look for memories that say the same."),
        "review": Entry("reviewing:review", "Judge proposals to merge memories."),
        "reflect": Entry("reflecting:reflect", "Look at memory from a distance."),
        "core": Entry("reflecting:core", "Show what stands highest, as one page."),
    },
    "Care": {
        "status": Entry("caring:status", "Show the stores, capture and the model at a glance."),
        "doctor": Entry("checking:doctor", "Look for everything that is known to go wrong."),
        "secrets": Entry("scrubbing:secrets", "Find secrets that got in, and take them out."),
        "lifecycle": Entry("caring:lifecycle", "Archive what has faded, prune what was archived."),
        "forecast": Entry("caring:forecast", "Show what will fade next."),
        "models": Entry("models:models", "List, choose and run embedding models."),
        "config": Entry("settings:config", "Read and change settings."),
        "demo": Entry("machinery:demo", "Try Cortex on a made-up session, apart from your own."),
    },
    "Claude Code": {
        "install": Entry("installing:install", "Connect Cortex with Claude Code."),
        "uninstall": Entry("installing:uninstall", "Disconnect Cortex from Claude Code."),
    },
    "Behind the scenes": {
        "tui": Entry("machinery:tui", "Open the terminal app, as bare cortex does."),
        "hook": Entry("machinery:hook", "Answer one of Claude Code's hooks."),
        "worker": Entry("machinery:worker", "Capture what the hooks have recorded."),
        "serve": Entry("serving:serve", "Answer scripts of this machine over HTTP."),
        "mcp": Entry("machinery:mcp", "Serve memory to an agent over MCP."),
    },
}
"""Heading, command and where it lives: the one table that help, completion and tests read."""

EPILOG = (
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found. Ids may be shortened to "
    "their first characters, four at least.\n\n"
    'Completion: eval "$(_CORTEX_COMPLETE=bash_source cortex)" in .bashrc, zsh_source for zsh, '
    "fish_source for fish."
)


class Cortex(LazyGroup):
    """The outermost command; every way a run can end passes through it."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run the command line and leave with its exit code."""
        output.prepare()
        words = [_readable(word) for word in (sys.argv[1:] if args is None else args)]
        run = Run()
        extra |= {"standalone_mode": False, "obj": run}
        work = super().main
        sys.exit(errors.exit_code(lambda: work(words, *rest, **extra), lambda: run.project))


def _readable(word: str) -> str:
    """`word` without bytes that are no text, unless it names a file that is really called so."""
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

        click.echo(f"cortex {version('cortex-memory')}")
        context.exit()


@click.group(
    cls=Cortex,
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
    help="Print the version and leave.",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """The memory of a coding agent, in your hands. Without a command it opens the app."""
    if context.invoked_subcommand is None:
        name = "tui" if output.watched() else "status"
        command = cli.get_command(context, name)
        if command is not None:
            context.invoke(command)


def main() -> None:
    """What the installed `cortex` runs."""
    cli(prog_name="cortex")

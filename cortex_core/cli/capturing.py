"""Commands about capture: pause, resume, replay, inspect, suggestions, quarantine, rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from cortex_core import shapes
from cortex_core.base.settings import RULE_SETTINGS
from cortex_core.cli import output, prose
from cortex_core.cli.command import CommandGroup, Run, command, group, pass_run
from cortex_core.cli.options import limit_option
from cortex_core.cli.writing import IDS, tell_all
from cortex_core.reports import RuleSetting
from cortex_core.types import Memory

if TYPE_CHECKING:
    from cortex_core.api import Cortex


@command("pause", examples=("cortex pause",))
@pass_run
def pause(run: Run) -> None:
    """Pause capture in this project.

    Hooks record nothing until cortex resume. Stored memories are still injected.
    """
    with run.cortex() as cortex:
        cortex.sessions.pause()
    _tell_paused(run, paused=True)


@command("resume", examples=("cortex resume",))
@pass_run
def resume(run: Run) -> None:
    """Resume capture in this project."""
    with run.cortex() as cortex:
        cortex.sessions.resume()
    _tell_paused(run, paused=False)


def _tell_paused(run: Run, *, paused: bool) -> None:
    if run.json:
        output.emit({"paused": paused})
    else:
        output.say("Capture is paused in this project. Resume it with: cortex resume" if paused
                   else "Capture is on in this project.")  # fmt: skip


@command("replay", examples=("cortex replay 5f1c2d3e-8a4b-4c1d-9e2f-0a1b2c3d4e5f",))
@click.argument("session")
@pass_run
def replay(run: Run, session: str) -> None:
    """Read the transcript of a session again from its start.

    Known memories are not stored twice.
    """
    with run.cortex() as cortex:
        entry = cortex.sessions.replay(session)
    if run.json:
        output.emit(shapes.ledger_entry(entry))
    else:
        prose.read(entry)


@command("inspect", examples=("cortex inspect", "cortex inspect --limit 50 --json"))
@limit_option(20)
@pass_run
def inspect(run: Run, limit: int) -> None:
    """Show what capture did, session by session.

    One row for each hook event and each transcript that was read: what was found, kept, merged
    and refused, and why.
    """
    with run.cortex() as cortex:
        entries = cortex.sessions.ledger(limit)
    empty = "Nothing has been captured yet. Try: cortex import transcripts"
    output.show(prose.LEDGER, entries, as_json=run.json, empty=empty)


@group("suggestions", examples=("cortex suggestions list", "cortex suggestions keep 1f3a9c20"))
def suggestions() -> None:
    """Review the memories that capture only suggests.

    Suggestions are never injected, and expire after 30 days. Each verdict adjusts the rule.
    """


@group("quarantine", examples=("cortex quarantine list", "cortex quarantine release 1f3a9c20"))
def quarantine() -> None:
    """Review the memories that capture does not trust.

    Text from tools, files and web pages, and text that gives the agent orders, waits here until
    you release it.
    """


def _verdicts(
    parent: CommandGroup,
    listed: Callable[[Cortex], Sequence[Memory]],
    verdict: str,
    keep: Callable[[Cortex, tuple[str, ...], str | None], Sequence[Memory]],
) -> None:
    """Add three commands to `parent`: list, the `verdict` that admits memories, discard."""
    word = parent.name

    @parent.command(
        "list",
        help=f"List the memories that wait in {word}.",
        examples=(f"cortex {word} list", f"cortex {word} list --json"),
    )
    @pass_run
    def _list(run: Run) -> None:
        with run.cortex() as cortex:
            found = listed(cortex)
        output.show(prose.MEMORIES, found, as_json=run.json, empty="Nothing is waiting.")

    @parent.command(
        verdict,
        help="Make memories active, so that they can be found and injected.",
        examples=(
            f"cortex {word} {verdict} 1f3a9c20",
            f'cortex {word} {verdict} 1f3a9c20 --text "Use pnpm, never npm"',
        ),
    )
    @click.option("--text", metavar="TEXT", help="Replace the text of the memory (one id only).")
    @IDS
    @pass_run
    def _keep(run: Run, ids: tuple[str, ...], text: str | None) -> None:
        with run.cortex() as cortex:
            changed = keep(cortex, ids, text)
        tell_all(changed, "Kept" if verdict == "keep" else "Released", as_json=run.json)

    @parent.command(
        "discard",
        help="Archive memories, and remember the verdict.",
        examples=(f"cortex {word} discard 1f3a9c20 77b0e1d4",),
    )
    @IDS
    @pass_run
    def _discard(run: Run, ids: tuple[str, ...]) -> None:
        with run.cortex() as cortex:
            changed = cortex.suggestions.discard(ids)
        tell_all(changed, "Discarded", as_json=run.json)


_verdicts(suggestions, lambda cortex: cortex.suggestions.list(), "keep",
          lambda cortex, ids, text: cortex.suggestions.keep(ids, content=text))  # fmt: skip
_verdicts(quarantine, lambda cortex: cortex.quarantine.list(), "release",
          lambda cortex, ids, text: cortex.quarantine.release(ids, content=text))  # fmt: skip


@group("rules", examples=("cortex rules list", "cortex rules set commit suggested"))
def rules() -> None:
    """Show and set what each capture rule may keep."""


@rules.command("list", examples=("cortex rules list", "cortex rules list --json"))
@pass_run
def rules_list(run: Run) -> None:
    """List the rules, where their finds go, and your verdicts."""
    with run.cortex() as cortex:
        found = cortex.rules.list()
    output.show(prose.RULES, found, as_json=run.json)


@rules.command(
    "set", examples=("cortex rules set commit suggested", "cortex rules set commit auto")
)
@click.argument("name")
@click.argument("setting", metavar="|".join(RULE_SETTINGS), type=click.Choice(RULE_SETTINGS))
@pass_run
def rules_set(run: Run, name: str, setting: RuleSetting) -> None:
    """Set where the finds of a rule go.

    kept: store at once; suggested: wait for a verdict; off: do not search; auto: follow your
    verdicts.
    """
    with run.cortex() as cortex:
        rule = cortex.rules.set(name, setting)
    if run.json:
        output.emit(shapes.rule(rule))
    else:
        output.say(f"{rule.name}: finds are {rule.tier} (setting: {rule.setting}).")

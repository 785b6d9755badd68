"""The group `rules`: what capture rules may keep, and how the user's own rules were kept."""

from __future__ import annotations

import click

from cortex_core.base import text
from cortex_core.base.settings import RULE_SETTINGS
from cortex_core.cli import naming, output, prose
from cortex_core.cli.command import Run, group, pass_run
from cortex_core.records.as_json import to_json
from cortex_core.records.captures import RuleSetting

MOST_UNREAD = 3
"""Transcripts that are named because they cannot be read."""


@group(
    "rules",
    examples=("cortex rules list", "cortex rules set commit suggested", "cortex rules kept"),
)
def rules() -> None:
    """Set what each capture rule may keep, and show how your own rules were kept."""


@rules.command("list", examples=("cortex rules list", "cortex rules list --json"))
@pass_run
def rules_list(run: Run) -> None:
    """List the capture rules, where their finds go, and your verdicts."""
    output.show(prose.RULES, run.cortex.rules.list(), as_json=run.json)


@rules.command(
    "set", examples=("cortex rules set commit suggested", "cortex rules set commit auto")
)
@click.argument("name")
@click.argument("setting", metavar="|".join(RULE_SETTINGS), type=click.Choice(RULE_SETTINGS))
@pass_run
def rules_set(run: Run, name: str, setting: RuleSetting) -> None:
    """Set where the finds of a capture rule go.

    kept: store at once; suggested: wait for a verdict; off: do not search; auto: follow your
    verdicts.
    """
    rule = run.cortex.rules.set(name, setting)
    run.say(to_json(rule), f"{rule.name}: finds are {rule.tier} (setting: {rule.setting}).")


@rules.command(
    "kept",
    examples=("cortex rules kept", "cortex rules kept 1f3a9c20", "cortex rules kept pnpm --json"),
)
@click.argument("id", required=False)
@pass_run
def rules_kept(run: Run, id: str | None) -> None:
    """Show how often your rules were kept, by the sessions that were read.

    A rule is a memory with triggers. With an id or words: the calls that broke that rule, newest
    first; cortex show ID --breach N shows the turn of one. What happened before a memory was a rule
    is counted apart.
    """
    _record(run)
    if id is None:
        empty = "No memory has a trigger, so no rule can be checked. See: cortex trigger --help"
        rules = run.cortex.memories.triggers.keeping.list()
        output.show(prose.KEPT, rules, as_json=run.json, empty=empty)
        return
    # Of several that words fit, the only one with triggers is meant.
    named = [each for each in run.cortex.memories.named(id).memories if each.triggers]
    _print_breaches(run, named[0].id if len(named) == 1 else naming.seen(run, id))


def _record(run: Run) -> None:
    """Read what the record lacks, and say what cannot be read."""
    with output.progress("Reading sessions") as progress:
        done = run.cortex.memories.triggers.keeping.record(progress=progress)
    if done.unread:
        rest = len(done.unread) - MOST_UNREAD
        named = ", ".join(done.unread[:MOST_UNREAD]) + (f" and {rest} more" if rest > 0 else "")
        gone = text.counted(len(done.unread), "transcript is", "transcripts are")
        output.note(
            f"! {gone} gone or cannot be read, so what was done there is not counted for every "
            f"rule: {named}"
        )


def _print_breaches(run: Run, id: str) -> None:
    keeping = run.cortex.memories.triggers.keeping
    breaches = keeping.breaches(id)
    if not run.json:
        prose.kept(keeping.get(id))
        output.say()
    output.show(prose.BREACHES, breaches, as_json=run.json, empty="No call is known to break it.")
    if breaches and not run.json:
        output.note(f"To look at one: cortex show {prose.short(id)} --breach 1")

"""The groups `rules` (what capture rules may keep, and how the user's own rules were kept) and
`trigger` (at which tool calls a rule is recalled, and what becomes of the call).
"""

from typing import Any

import click

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.base.settings import RULE_SETTINGS
from cortex_core.base.tools import EDIT, SHELL
from cortex_core.cli import naming, output, prose
from cortex_core.cli.command import NOTHING_FOUND, Run, group, pass_run
from cortex_core.cli.writing_commands import print_all, verb
from cortex_core.records.as_json import to_json
from cortex_core.records.captures import RuleSetting
from cortex_core.records.memory import GUARDS, Memory

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
@click.argument("id", required=False, shell_complete=naming.complete_memory)
@pass_run
def rules_kept(run: Run, id: str | None) -> None:
    """Show how often your rules were kept, by the sessions that were read.

    A rule is a memory with triggers. With an id or words: the calls that broke that rule, newest
    first; cortex show ID --breach N shows the turn of one. What happened before a memory was a rule
    is counted apart.
    """
    _record(run)
    keeping = run.cortex.memories.triggers.keeping
    if id is None:
        empty = "No memory has a trigger, so no rule can be checked. See: cortex trigger --help"
        output.show(prose.KEPT, keeping.list(), as_json=run.json, empty=empty)
        return
    # Of several that words fit, the only one with triggers is meant.
    named = [each for each in run.cortex.memories.named(id).memories if each.triggers]
    name = named[0].id if len(named) == 1 else naming.seen(run, id)
    breaches = keeping.breaches(name)
    if not run.json:
        prose.kept(keeping.get(name))
        output.say()
    output.show(prose.BREACHES, breaches, as_json=run.json, empty="No call is known to break it.")
    if breaches and not run.json:
        output.note(f"To look at one: cortex show {prose.short(name)} --breach 1")


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


SWITCH = "triggers.on"
"""The setting that stops all triggers."""


@group(
    "trigger",
    examples=(
        "cortex trigger list",
        'cortex trigger try 1f3a9c20 "npm install"',
        'cortex trigger set 1f3a9c20 "!Bash(npm)" "Edit(package.json)"',
    ),
)
def trigger() -> None:
    """Recall a rule at the tool calls that it is about.

    Rules get triggers from what they name and speak of. A trigger is Bash(npm install), Push(main),
    Commit(.env), Edit(src/**), Read(docs/**), Text(Co-Authored-By) or the name of an MCP tool; ! in
    front means that such a call breaks the rule.
    """


@trigger.command(
    "list",
    examples=(
        "cortex trigger list",
        "cortex trigger list 1f3a9c20",
        "cortex trigger list --dead-ends",
    ),
)
@click.argument("id", required=False, shell_complete=naming.complete_memory)
@click.option(
    "--dead-ends",
    is_flag=True,
    help="List the ways that failed here, why, and what worked instead. Each is recalled once "
    "before the same command is tried again, and archived when it works.",
)
@pass_run
def trigger_list(run: Run, id: str | None, dead_ends: bool) -> None:
    """List the memories with triggers, those that guard a call first.

    With an id: the triggers of that memory, what each means, and what becomes of such a call.
    """
    if dead_ends:
        failed = run.cortex.memories.triggers.dead_ends()
        output.show(prose.TRIGGERS, failed, as_json=run.json, empty="No way is known to fail here.")
        return
    if id:
        memory = run.cortex.memories.get(naming.seen(run, id))
        run.show(memory, lambda found: _print_triggers(run, found))
        return
    found, is_on = run.cortex.memories.triggers.list(), run.cortex.config.get(SWITCH)
    output.show(prose.TRIGGERS, found, as_json=run.json, empty="No memory has a trigger.")
    if not is_on:
        output.note("All triggers are off. cortex trigger on --all switches them on.")


@trigger.command(
    "set",
    examples=('cortex trigger set 1f3a9c20 "!Bash(npm)"',),
)
@click.argument("id", shell_complete=naming.complete_memory)
@click.argument("triggers", metavar="TRIGGER...", nargs=-1, required=True)
@pass_run
def trigger_set(run: Run, id: str, triggers: tuple[str, ...]) -> None:
    """Replace the triggers of a memory.

    cortex trigger off ID takes all away; cortex trigger on ID finds them in its words again.
    """
    (memory,) = run.cortex.memories.triggers.set(naming.ids(run, [id]), triggers)
    run.show(memory, lambda changed: _print_triggers(run, changed))


trigger.add_command(
    verb(
        "guard",
        ("cortex trigger guard 1f3a9c20 deny", "cortex trigger guard 1f3a9c20 remind"),
        "Set what becomes of a call that a trigger matches.\n\nremind: it runs, and the agent is "
        "reminded of the rule; ask: you are asked; deny: it does\nnot run.",
        lambda guard: f"Such a call now leads to {guard} for",
        lambda cortex, ids, guard: cortex.memories.triggers.guard(ids, guard),
        click.Argument(["guard"], metavar="|".join(GUARDS), type=click.Choice(GUARDS)),
    )
)


@trigger.command("off", examples=("cortex trigger off 1f3a9c20", "cortex trigger off --all"))
@click.argument("ids", metavar="[ID...]", nargs=-1, shell_complete=naming.complete_memory)
@click.option("--all", "everything", is_flag=True, help="Switch off all triggers, everywhere.")
@pass_run
def trigger_off(run: Run, ids: tuple[str, ...], everything: bool) -> None:
    """Take the triggers from memories, or switch off all triggers."""
    _switch(run, ids, everything, on=False)


@trigger.command("on", examples=("cortex trigger on 1f3a9c20", "cortex trigger on --all"))
@click.argument("ids", metavar="[ID...]", nargs=-1, shell_complete=naming.complete_memory)
@click.option("--all", "everything", is_flag=True, help="Switch triggers on again.")
@pass_run
def trigger_on(run: Run, ids: tuple[str, ...], everything: bool) -> None:
    """Give memories the triggers that their words have, or switch triggers on again."""
    _switch(run, ids, everything, on=True)


def _switch(run: Run, ids: tuple[str, ...], everything: bool, *, on: bool) -> None:
    if everything == bool(ids):
        raise UsageError("Name the memories, or say --all. Nothing was changed.")
    if everything:
        run.cortex.memories.triggers.switch(on=on)
        run.say({"triggers": on}, f"All triggers are {'on' if on else 'off'}.")
        return
    known, service = naming.ids(run, ids), run.cortex.memories.triggers
    changed = service.find(known) if on else service.set(known, ())
    print_all(run, changed, "Recalled at" if on else "No longer recalled at tool calls:")


@trigger.command(
    "try",
    examples=(
        'cortex trigger try 1f3a9c20 "cd app && npm i"',
        "cortex trigger try 1f3a9c20 --edit src/api.py",
    ),
)
@click.argument("id", shell_complete=naming.complete_memory)
@click.argument("command", required=False, default="")
@click.option("--edit", "file", metavar="FILE", default="", help="A file that is changed.")
@click.option("--tool", default="", help="The name of an MCP tool.")
@pass_run
def trigger_try(run: Run, id: str, command: str, file: str, tool: str) -> None:
    """Say what would happen at a call because of a memory, and why. Nothing is run.

    The exit code is 3 if no trigger matches.
    """
    if sum(map(bool, (command, file, tool))) != 1:
        raise UsageError("Name one thing: a command, --edit FILE or --tool NAME.")
    call: tuple[str, dict[str, Any]] = (tool, {})
    if command:
        call = (SHELL, {"command": command})
    elif file:
        call = (EDIT, {"file_path": file})
    # What it does is said first: a trigger that misses a call mostly reads it otherwise.
    memory = run.cortex.memories.get(naming.seen(run, id))
    service = run.cortex.memories.triggers
    found, does = service.tried(memory.triggers, *call), service.does(*call)
    outcome = memory.action(found) if found and run.cortex.config.get(SWITCH) else "run"
    if run.json:
        output.emit({"matches": list(found), "does": list(does), "outcome": outcome})
    else:
        output.say(_OUTCOMES[outcome])
        output.say(f"The call {'; '.join(does)}.")
        for each in service.explained(found):
            output.say(f"{each.line}: {each.meaning}")
        if not found:
            output.note("No trigger means it.")
        elif outcome == "run":
            output.note("All triggers are off. cortex trigger on --all switches them on.")
    if not found:
        raise click.exceptions.Exit(NOTHING_FOUND)


_OUTCOMES = {
    "run": "It would run, and nothing would be said.",
    "remind": "It would run, and the agent would be reminded of the rule.",
    "ask": "Claude Code would ask you.",
    "deny": "It would not run.",
}


def _print_triggers(run: Run, memory: Memory) -> None:
    output.say(memory.title)
    for each in run.cortex.memories.triggers.explained(memory.triggers):
        output.say(f"  {each.line}")
        output.say(f"      {each.meaning or each.problem}", "dim")
    if memory.triggers:
        output.say(f"  guard: {memory.guard}")
    else:
        output.say(f"  {prose.without_triggers(memory)}")

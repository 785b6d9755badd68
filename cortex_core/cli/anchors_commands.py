"""The command `anchors`: what memories name of the project, and what has become of it."""

from __future__ import annotations

import click

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.cli import output, prose
from cortex_core.cli.command import NOTHING_FOUND, Run, command, pass_run
from cortex_core.cli.writing_commands import print_all
from cortex_core.records.project_code import Anchor, AnchoredMemory, AnchorReport

MOST = 40
"""Memories that are listed where none is named."""


@command(
    "anchors",
    examples=(
        "cortex anchors",
        "cortex anchors 1f3a9c20",
        "cortex anchors --check",
        "cortex anchors 1f3a9c20 --confirm",
    ),
)
@click.argument("ids", metavar="[ID...]", nargs=-1)
@click.option("--check", is_flag=True, help="Look up now what all memories name.")
@click.option(
    "--confirm", is_flag=True, help="Say that memories hold although what they name is gone."
)
@click.option("--all", "everything", is_flag=True, help="List also what is as it was.")
@pass_run
def anchors(run: Run, ids: tuple[str, ...], check: bool, confirm: bool, everything: bool) -> None:
    """Show what memories name of the project, and what has become of it.

    Files, symbols, scripts, versions and settings that a memory names are looked up again after
    each session: fresh, moved (with where it is now), gone, or contradicted (with what is stated
    instead). Memories that name what is gone or contradicted are not injected, unless they are
    pinned. Fresh means only that the name is there, not that the memory is true.
    """
    if confirm:
        if not ids or check:
            raise UsageError("Name the memories to confirm, alone. Nothing was changed.")
        print_all(run, run.cortex.code.anchors.confirm(ids), "Confirmed")
        return
    report = run.cortex.code.anchors.check() if check else None
    found = run.cortex.code.anchors.list(ids or None)
    if run.json:
        output.show(prose.ANCHORED, found, as_json=True)
    else:
        _print(found, report, everything=everything or bool(ids))
    if not found:
        raise click.exceptions.Exit(NOTHING_FOUND)


def _print(found: list[AnchoredMemory], report: AnchorReport | None, *, everything: bool) -> None:
    if report is not None:
        output.say(_checked(report), "bold")
    listed = [
        each
        for each in found
        if everything or each.memory.outdated or any(one.state != "fresh" for one in each.anchors)
    ]
    for each in listed[:MOST]:
        mark = f"out of date: it {each.memory.outdated}" if each.memory.outdated else ""
        lines = [(text.one_line(each.memory.title), "bold"), (mark, "yellow")]
        lines += [(line(anchor), "") for anchor in each.anchors]
        lines += [] if each.anchors else [("It names nothing that the project has.", "dim")]
        output.item(
            prose.short(each.memory.id), *(one for one in lines if one[0]), width=prose.SHORT_ID
        )
    if len(listed) > MOST:
        output.say(f"… and {text.memories(len(listed) - MOST)} more. See: cortex anchors --json")
    if quiet := len(found) - len(listed):
        output.note(f"Not listed: {text.memories(quiet)} with names that are all found (--all).")
    if not found:
        output.note("No memory names anything of this project that was looked up.")


def _checked(report: AnchorReport) -> str:
    parts = [f"Looked up {text.counted(report.checked, 'name')}"]
    parts += [f"searched {text.memories(report.looked_at)} for names"] if report.looked_at else []
    parts += [f"{text.memories(len(report.outdated))} out of date now"] if report.outdated else []
    rest = "" if report.complete else " Not all files were read, so nothing is called gone."
    return f"{', '.join(parts)}.{rest}"


def line(anchor: Anchor) -> str:
    """What has become of an anchor, in a line."""
    where = f"{anchor.path}:{anchor.line}" if anchor.line else anchor.path
    words = {
        "fresh": where,
        "moved": f"moved to {anchor.now}",
        "gone": f"gone, was in {where}" if anchor.line else "gone",
        "contradicted": f"now {anchor.now}",
        "confirmed": "gone, and confirmed by you",
    }[anchor.state]
    return f"{anchor.kind} {anchor.name}" + (f": {words}" if words not in ("", anchor.name) else "")

"""How what the capture screen lists is said: its columns, and all there is to read about one thing.

Values in, words out.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from textual.content import Content

from cortex_core.base import agent_names, text
from cortex_core.records.captures import ImportedProject, ImportReport, LedgerEntry, RuleRecord
from cortex_core.records.kept_rules import Repeat
from cortex_core.records.memory import Memory
from cortex_core.records.upkeep import CheckResult, SecretFind
from cortex_tui.actions.inbox_actions import WaitingMemory
from cortex_tui.actions.project_actions import (
    CaptureThing,
    CheckedRule,
    Trend,
)
from cortex_tui.actions.sharing_actions import FollowedTeam, Machines
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import Cell, ListColumn
from cortex_tui.widgets import sharing_lines
from cortex_tui.widgets.lines import bar, day, labelled, short_path, when_near
from cortex_tui.widgets.portrait import blocks, how_kept
from cortex_tui.widgets.preview import body, facts, heading

TREND_WIDTH = 14
"""Cells of the longest bar of a figure."""

CAPTURE_COLUMNS: Mapping[str, tuple[ListColumn, ...]] = {
    "ledger": (
        ListColumn("", 1),
        ListColumn("when", 12),
        ListColumn("event", 11, from_width=100),
        ListColumn("read", 7, right=True),
        ListColumn("found", 5, right=True),
        ListColumn("kept", 4, right=True),
        ListColumn("sugg", 4, right=True, from_width=64),
        ListColumn("merged", 6, right=True, from_width=90),
        ListColumn("session"),
        ListColumn("refused", from_width=140),
        ListColumn("cost", 7, right=True, from_width=110),
        ListColumn("took", 6, right=True, from_width=96),
    ),
    "secrets": (ListColumn("", 1), ListColumn("what", 24), ListColumn("where")),
    "rules": (
        ListColumn("rule", 20),
        ListColumn("finds are", 10),
        ListColumn("set", 6, from_width=90),
        ListColumn("your verdicts", 15),
        ListColumn("what it finds", from_width=70),
    ),
    "kept": (
        ListColumn("kept", 15),
        ListColumn("last breach", 12, from_width=64),
        ListColumn("before", 15, from_width=90),
        ListColumn("rule"),
    ),
    "health": (ListColumn("", 1), ListColumn("check", 20), ListColumn("found")),
    "numbers": (
        ListColumn("figure", 18),
        ListColumn("in all", 7, right=True),
        ListColumn("now", 7, right=True),
        ListColumn("week by week"),
    ),
}
"""The columns of each section."""


def cells(thing: CaptureThing, glyphs: Glyphs, now: float) -> tuple[Cell, ...]:
    """The cells of one thing, one a column of its section."""
    # One place for all sections, so that a thing reads the same wherever it is listed.
    match thing:
        case LedgerEntry():
            return _of_entry(thing, glyphs, now)
        case SecretFind():
            return (
                Cell(glyphs.signs.status["quarantined"], "warning"),
                Cell(glyphs.line(", ".join(thing.types))),
                Cell(glyphs.line(thing.location), "muted"),
            )
        case RuleRecord():
            return _of_rule(thing, glyphs)
        case CheckedRule(rule, _):
            last, style = ("", "row" if rule.checkable else "muted")
            if rule.last_breach:
                last, style = day(rule.last_breach), "warning"
            return (
                Cell(rule.count, style),
                Cell(last, "muted"),
                Cell(rule.before, "muted"),
                Cell(glyphs.line(rule.memory.title)),
            )
        case Trend():
            return _of_trend(thing, glyphs)
        case CheckResult() | Machines() | FollowedTeam():
            return _of_health(thing, glyphs, now)


def _of_entry(entry: LedgerEntry, glyphs: Glyphs, now: float) -> tuple[Cell, ...]:
    failed, read = bool(entry.error), bool(entry.extractor)
    sign = glyphs.signs.status["quarantined"] if failed else ""
    outcome = entry.error or _refused(entry.refused)
    waits = "waits to be read" if entry.waits else ""
    session = (entry.error if failed else waits) or entry.title or entry.session[:8]
    counts = (entry.candidates, entry.stored, entry.suggested, entry.merged)
    is_counted = read and not failed
    numbers = [str(number) if is_counted else glyphs.signs.waiting for number in counts]
    return (
        Cell(sign, "error"),
        Cell(when_near(entry.time, now), "row" if read else "muted"),
        Cell(glyphs.line(f"{entry.event} {agent_names.shown(entry.agent)}"), "muted"),
        Cell(size(entry.bytes_read) if entry.bytes_read else "", "muted"),
        *(Cell(number, "row" if read else "muted") for number in numbers),
        Cell(glyphs.line(session), "error" if failed else "row" if read else "muted"),
        Cell(glyphs.line(outcome), "error" if failed else "muted"),
        Cell(f"${entry.cost:.3f}" if entry.cost else "", "muted"),
        Cell(f"{entry.seconds:.1f} s" if read else "", "muted"),
    )


def _of_health(
    thing: CheckResult | Machines | FollowedTeam, glyphs: Glyphs, now: float
) -> tuple[Cell, ...]:
    if not isinstance(thing, CheckResult):
        sign, style, name, found = sharing_lines.row(thing, glyphs, now)
        return Cell(sign, style), Cell(name), Cell(found, "muted")
    return (
        Cell(*state(thing, glyphs)),
        Cell(glyphs.line(thing.name)),
        Cell(glyphs.line(thing.sentence), "muted"),
    )


def _of_trend(trend: Trend, glyphs: Glyphs) -> tuple[Cell, ...]:
    return (
        Cell(trend.name),
        Cell(trend.shown(sum(trend.values)), "muted"),
        Cell(trend.shown(trend.values[-1])),
        Cell(blocks(_heights(trend), glyphs), "accent"),
    )


def _heights(trend: Trend) -> list[float | None]:
    """Each value as a share of the highest; None for nothing."""
    highest = max(trend.values, default=0.0)
    return [value / highest if value else None for value in trend.values]


def _about_trend(trend: Trend, glyphs: Glyphs) -> list[Content]:
    """A bar for each week, the newest first."""
    lines = [Content.assemble((trend.name, "bold"), ("  by the week that begins", "$muted"))]
    shares = [height or 0.0 for height in _heights(trend)]
    for start, value, share in reversed(list(zip(trend.starts, trend.values, shares, strict=True))):
        week, drawn = f"{_day(start)}  ", bar(share, glyphs, TREND_WIDTH)
        shown = f"{trend.shown(value):>9}  "
        lines.append(Content.assemble((week, "$muted"), shown, (drawn, "$text-accent")))
    return lines


def _of_rule(rule: RuleRecord, glyphs: Glyphs) -> tuple[Cell, ...]:
    style = {"kept": "accent", "suggested": "row", "off": "gone"}[rule.tier]
    return (
        Cell(glyphs.line(rule.name)),
        Cell(rule.tier, style),
        Cell("" if rule.setting == "auto" else "by you", "muted"),
        Cell(judged(rule), "muted"),
        Cell(glyphs.line(rule.help), "muted"),
    )


def about(thing: CaptureThing, glyphs: Glyphs, now: float) -> list[Content]:
    """All there is to read about one thing."""
    match thing:
        case LedgerEntry():
            return _about_entry(thing, glyphs)
        case SecretFind():
            return [
                Content.assemble((glyphs.line(", ".join(thing.types)), "bold")),
                _label("found in", thing.location, glyphs),
                Content(""),
                Content(glyphs.line(_SCRUB)),
            ]
        case RuleRecord():
            return _about_rule(thing, glyphs)
        case CheckResult():
            return _about_check(thing, glyphs)
        case Machines() | FollowedTeam():
            return sharing_lines.about(thing, glyphs, now)
        case Trend():
            return _about_trend(thing, glyphs)
        case CheckedRule():
            return _about_checked(thing, glyphs)


def _about_checked(rule: CheckedRule, glyphs: Glyphs) -> list[Content]:
    """What counts as keeping a rule, and the newest calls that broke it."""
    memory, kept = rule.kept.memory, rule.kept
    pairs = [
        ("kept", how_kept(kept)),
        ("before", kept.before),
        ("rule since", day(kept.since)),
        ("kept by", ", ".join(kept.right_ways)),
        ("recalled at", ", ".join(memory.triggers)),
    ]
    shown = [Content.assemble((glyphs.line(memory.title), "bold"))]
    shown += [_label(name, value, glyphs) for name, value in pairs if value]
    for one in rule.breaches:
        head = f"{day(one.time)}  turn {one.turn}  {'before  ' * one.before}"
        shown.append(Content.assemble((head, "$muted"), glyphs.line(one.call)))
    return [*shown, Content("")]


def about_repeat(case: Repeat, glyphs: Glyphs) -> list[Content]:
    """What the user had to say again, and why it came to that."""
    stamp = time.strftime("%d %b %Y, %H:%M", time.localtime(case.time))
    before = _day(case.before_time) if case.before_time else ""
    pairs = [
        ("what came", f"{case.outcome}: {case.why}"),
        ("memory", case.title or "none"),
        ("said", stamp),
        ("session", case.session),
        ("said before", before),
    ]
    lines = [Content.assemble((glyphs.line(f"“{case.said}”"), "bold"))]
    lines += [_label(name, value, glyphs) for name, value in pairs if value]
    return lines + [Content(glyphs.line(f"“{case.before}”"))] * bool(case.before) + [Content("")]


def about_waiting(waiting: WaitingMemory, glyphs: Glyphs, now: float) -> list[Content]:
    """A memory that waits for a verdict, with the record of the rule that found it."""
    why = waiting.memory.details.get("quarantine", "")
    reason = [_label("reason", str(why), glyphs, "$text-warning")] if why else []
    record = [] if waiting.rule is None else [Content(""), *_about_rule(waiting.rule, glyphs)]
    return [*reason, *_about_memory(waiting.memory, glyphs, now), *record]


def _about_memory(memory: Memory, glyphs: Glyphs, now: float) -> list[Content]:
    styles = {"title": "bold", "muted": "$muted", "accent": "$text-accent", "text": ""}
    lines = [*heading(memory, glyphs), ("", "text"), *body(memory, glyphs), ("", "text")]
    if memory.excerpt:
        lines += [
            ("said in the session:", "muted"),
            (glyphs.block(memory.excerpt[:2000]), "text"),
            ("", "text"),
        ]
    lines += facts(memory, glyphs, now)
    return [Content.assemble((words, styles[part])) for words, part in lines]


def _about_entry(entry: LedgerEntry, glyphs: Glyphs) -> list[Content]:
    stamp = time.strftime("%d %b %Y, %H:%M:%S", time.localtime(entry.time))
    pairs = [
        ("event", f"{entry.event} {agent_names.shown(entry.agent)}"),
        ("begins", entry.title),
        ("session", entry.session),
        ("transcript", entry.transcript),
        ("read by", entry.extractor),
        ("read", size(entry.bytes_read)),
        (
            "found",
            f"{entry.candidates} worth a look: {entry.stored} kept, {entry.suggested} "
            f"suggested, {entry.merged} known already",
        ),
        ("refused", _refused(entry.refused)),
        ("cost", f"${entry.cost:.4f}, {entry.tokens:,} tokens" if entry.tokens else "nothing"),
        ("took", f"{entry.seconds:.2f} s"),
    ]
    shown = pairs if entry.extractor else pairs[:4]
    lines = [Content.assemble((stamp, "bold"))]
    if entry.error:
        lines += [Content.assemble((glyphs.line(entry.error), "$text-error")), Content("")]
    return lines + [_label(name, value, glyphs) for name, value in shown if value]


def _about_rule(rule: RuleRecord, glyphs: Glyphs) -> list[Content]:
    verdicts = f"{rule.kept} kept, {rule.discarded} discarded"
    bounds = f"between {rule.lower:.0%} and {rule.upper:.0%} are worth keeping (80 % sure)"
    return [
        Content.assemble((f"rule {glyphs.line(rule.name)}", "bold")),
        Content(glyphs.line(rule.help)),
        _label("finds are", rule.tier, glyphs),
        _label("set to", rule.setting, glyphs),
        _label("by default", rule.default, glyphs),
        _label("your verdicts", verdicts, glyphs),
        _label("so", bounds if rule.kept + rule.discarded else "nothing is known yet", glyphs),
        Content.assemble(
            (
                glyphs.line("auto: kept at once from 80 % on, off under 30 %, else as by default."),
                "$muted",
            )
        ),
    ]


def _about_check(check: CheckResult, glyphs: Glyphs) -> list[Content]:
    sign, style = state(check, glyphs)
    colour = {"error": "$text-error", "warning": "$text-warning"}.get(style, "$muted")
    lines = [
        Content.assemble((f"{sign} {check.name}", "bold"), (f"   {check.state}", colour)),
        Content(glyphs.block(check.sentence)),
    ]
    if check.next_step:
        lines += [Content(""), Content.assemble((glyphs.block(check.next_step), "$text-accent"))]
    if check.fixed:
        lines += [Content.assemble((glyphs.line(check.fixed), "$text-success"))]
    return lines


# --- words


def state(check: CheckResult, glyphs: Glyphs) -> tuple[str, str]:
    """The sign of what a check found, and its style."""
    signs = glyphs.signs
    return {
        "ok": (signs.dot, "accent"),
        "warning": (signs.status["quarantined"], "warning"),
        "failed": (signs.cross, "error"),
        "skipped": (signs.waiting, "muted"),
    }[check.state]


def judged(rule: RuleRecord) -> str:
    """A rule's record: `12 kept, 3 not`; empty before the first verdict."""
    return f"{rule.kept} kept, {rule.discarded} not" if rule.kept or rule.discarded else ""


def preview(report: ImportReport, *, everything: bool = False) -> str:
    """What an import would do, in a few lines; with `everything` in the stores of all projects."""
    sentences = [
        f"{_count(report.files, 'session')} to read, {size(report.bytes_read)}.",
        f"{report.stored} would be kept, {report.suggested} suggested, "
        f"{report.quarantined} quarantined, {report.merged} are known already.",
    ]
    if report.refused:
        sentences.append(f"Refused: {_refused(report.refused)}.")
    sentences += list(report.problems[:3])
    sentences += ["", *map(_of_project, report.projects)] if report.projects else []
    undo = "In each project it is one step to undo." if everything else "It is one step to undo."
    return "\n".join([*sentences, "", undo])


def _of_project(project: ImportedProject) -> str:
    return (
        f"{short_path(project.folder)}: {_count(project.files, 'session')}, "
        f"{project.stored} kept, {project.suggested} suggested"
    )


def imported(report: ImportReport) -> str:
    """What an import did, in one sentence."""
    where = f" of {_count(len(report.projects), 'project')}" if report.projects else ""
    return (
        f"Read {_count(report.files, 'session')}{where}: {report.stored} kept, "
        f"{report.suggested} suggested, {report.quarantined} quarantined"
    )


def in_project(report: ImportReport, root: str | None) -> ImportReport | ImportedProject:
    """The part of an import that is in the project in the folder `root`: all of it unless the
    sessions of all projects were imported."""
    here = (each for each in report.projects if each.folder == root)
    return next(here, report) if report.projects else report


def next_steps(part: ImportReport | ImportedProject, listed: int) -> list[tuple[str, str]]:
    """What can be looked at after an import.

    Args:
        part: what came of it in this project.
        listed: how many of the kept ones are memories, and not entries of the history.
    """
    history = f"; {part.stored - listed:,} more are history" if part.stored > listed else ""
    steps = [("kept", f"show the {text.memories(listed)} kept{history}")] if listed else []
    if part.suggested and part.id:
        steps.append(("suggestions", f"show what is only suggested ({part.suggested:,})"))
    return [*steps, ("stay", "stay here")]


def size(number: int) -> str:
    """A number of bytes for people: `212 kB`, `1.4 MB`."""
    if number < 1_000_000:
        return f"{number / 1000:.0f} kB" if number >= 1000 else f"{number} B"
    return f"{number / 1_000_000:.1f} MB"


def _refused(refused: Mapping[str, int]) -> str:
    most = sorted(refused.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{number} {reason}" for reason, number in most)


def _day(moment: float) -> str:
    return time.strftime("%d %b", time.localtime(moment))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def _label(name: str, value: str, glyphs: Glyphs, style: str = "") -> Content:
    return labelled(name, glyphs.line(value), style)


_SCRUB = (
    "The secret itself is never shown. Removing it writes [redacted] instead, in memories and in "
    "all that the journal knows of them; this is the one thing that cannot be undone. Make the "
    "secret itself invalid as well: others may have seen it."
)

EMPTY: Mapping[str, Sequence[str]] = {
    "ledger": (
        "Nothing has been captured here yet.",
        "{import}: learn from this project's past sessions, a preview first",
        "cortex install: let Claude Code's hooks report every session from now on",
    ),
    "secrets": (
        "No secret was found.",
        "Searched: both stores with their journals and trash, the snapshots and Cortex's files.",
    ),
    "rules": ("There is no rule.",),
    "kept": (
        "No memory is recalled at tool calls, so nothing shows whether it is kept.",
        "A rule that names a command, a file or a phrase is counted here, by past sessions.",
    ),
    "health": ("Nothing was checked.",),
    "numbers": ("There are no figures yet.",),
}
"""What is said where a section is empty; `{import}` represents that action's key."""

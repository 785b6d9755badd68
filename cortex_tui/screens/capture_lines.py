"""How what capture found, checked and imported is said: cells of a row, and all there is to read.

Values in, words out.
"""

import time
from collections.abc import Mapping

from textual.content import Content

from cortex_core.base import text
from cortex_core.records.captures import ImportedProject, ImportReport, RuleRecord
from cortex_core.records.kept_rules import Repeat
from cortex_core.records.memory import Memory
from cortex_core.records.proofs import NEEDS, Proof
from cortex_core.records.upkeep import CheckResult
from cortex_tui.actions.inbox_actions import WaitingMemory
from cortex_tui.actions.project_actions import CheckedRule
from cortex_tui.actions.sharing_actions import FollowedTeam, Machines
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import Cell
from cortex_tui.widgets import sharing_lines
from cortex_tui.widgets.lines import bar, day, labelled, short_path
from cortex_tui.widgets.portrait import how_kept
from cortex_tui.widgets.preview import body, facts, heading


def of_health(
    thing: CheckResult | Machines | FollowedTeam, glyphs: Glyphs, now: float
) -> tuple[Cell, ...]:
    """The cells of what was checked, or of with whom memories are shared."""
    if not isinstance(thing, CheckResult):
        sign, style, name, found = sharing_lines.row(thing, glyphs, now)
        return Cell(sign, style), Cell(name), Cell(found, "muted")
    return (
        Cell(*state(thing, glyphs)),
        Cell(glyphs.line(thing.name)),
        Cell(glyphs.line(thing.sentence), "muted"),
    )


def of_find(rule: RuleRecord, glyphs: Glyphs) -> tuple[Cell, ...]:
    """The cells of one way of finding memories."""
    style = {"kept": "accent", "suggested": "row", "off": "gone"}[rule.tier]
    return (
        Cell(glyphs.line(rule.name)),
        Cell(rule.tier, style),
        Cell("" if rule.setting == "auto" else "by you", "muted"),
        Cell(judged(rule), "muted"),
        Cell(glyphs.line(rule.help), "muted"),
    )


def about_checked(rule: CheckedRule, glyphs: Glyphs) -> list[Content]:
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
    shown += [labelled(name, value, glyphs) for name, value in pairs if value]
    for one in rule.breaches:
        head = f"{day(one.time)}  turn {one.turn}  {'before  ' * one.before}"
        shown.append(Content.assemble((head, "$muted"), glyphs.line(one.call)))
    return [*shown, Content("")]


def about_repeat(case: Repeat, glyphs: Glyphs) -> list[Content]:
    """What the user had to say again, and why it came to that."""
    stamp = time.strftime("%d %b %Y, %H:%M", time.localtime(case.time))
    before = time.strftime("%d %b", time.localtime(case.before_time)) if case.before_time else ""
    pairs = [
        ("what came", f"{case.outcome}: {case.why}"),
        ("memory", case.title or "none"),
        ("said", stamp),
        ("session", case.session),
        ("said before", before),
    ]
    lines = [Content.assemble((glyphs.line(f"“{case.said}”"), "bold"))]
    lines += [labelled(name, value, glyphs) for name, value in pairs if value]
    return lines + [Content(glyphs.line(f"“{case.before}”"))] * bool(case.before) + [Content("")]


def about_waiting(waiting: WaitingMemory, glyphs: Glyphs, now: float) -> list[Content]:
    """A memory that waits for a verdict, with the record of the rule that found it."""
    why = waiting.memory.details.get("quarantine", "")
    reason = [labelled("reason", str(why), glyphs, "$text-warning")] if why else []
    record = [] if waiting.rule is None else [Content(""), *about_find(waiting.rule, glyphs)]
    return [*reason, *_about_memory(waiting.memory, glyphs, now), *record]


def _about_memory(memory: Memory, glyphs: Glyphs, now: float) -> list[Content]:
    styles = {"title": "bold", "muted": "$muted", "accent": "$text-accent", "text": ""}
    lines = [*heading(memory, glyphs), ("", "text"), *body(memory, glyphs)]
    if memory.excerpt:
        lines += [
            ("said in the session:", "muted"),
            (glyphs.block(memory.excerpt[:2000]), "text"),
            ("", "text"),
        ]
    lines += facts(memory, glyphs, now)
    return [Content.assemble((words, styles[part])) for words, part in lines]


def about_find(rule: RuleRecord, glyphs: Glyphs) -> list[Content]:
    """A way of finding memories, where its finds go, and how the user judged them."""
    verdicts = f"{rule.kept} kept, {rule.discarded} discarded"
    bounds = f"between {rule.lower:.0%} and {rule.upper:.0%} are worth keeping (80 % sure)"
    return [
        Content.assemble((f"rule {glyphs.line(rule.name)}", "bold")),
        Content(glyphs.line(rule.help)),
        labelled("finds are", rule.tier, glyphs),
        labelled("set to", rule.setting, glyphs),
        labelled("by default", rule.default, glyphs),
        labelled("your verdicts", verdicts, glyphs),
        labelled("so", bounds if rule.kept + rule.discarded else "nothing is known yet", glyphs),
        Content.assemble(
            (
                glyphs.line("auto: kept at once from 80 % on, off under 30 %, else as by default."),
                "$muted",
            )
        ),
    ]


def about_check(check: CheckResult, glyphs: Glyphs) -> list[Content]:
    """What a check of the doctor found, and what to do about it."""
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
        f"{text.counted(report.files, 'session')} to read, {size(report.bytes_read)}.",
        f"{report.stored} would be kept, the history included, {report.suggested} suggested, "
        f"{report.quarantined} quarantined, {report.merged} are known already.",
    ]
    if report.refused:
        sentences.append(f"Refused: {_refused(report.refused)}.")
    sentences += [*report.problems[:3], *[""] * bool(report.projects)]
    sentences += [
        f"{short_path(one.folder)}: {text.counted(one.files, 'session')}, "
        f"{one.stored} kept, {one.suggested} suggested"
        for one in report.projects
    ]
    undo = "In each project it is one step to undo." if everything else "It is one step to undo."
    return "\n".join([*sentences, "", undo])


def imported(report: ImportReport, listed: int) -> str:
    """What an import did, in one sentence; `listed` of what it kept here is not history."""
    where = f" of {text.counted(len(report.projects), 'project')}" if report.projects else ""
    history = 0 if report.projects else report.stored - listed
    entries = f" and {text.counted(history, 'entry', 'entries')} of the history" if history else ""
    return (
        f"Read {text.counted(report.files, 'session')}{where}: "
        f"{report.stored - history} kept{entries}, "
        f"{report.suggested} suggested"
        f"{f', {report.quarantined} quarantined' if report.quarantined else ''}"
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


PROOF_BAR = 20
"""Cells of the bar of a need."""


def proved(proof: Proof, glyphs: Glyphs) -> str:
    """What past sessions would have had of what they came to need, and by chance alone."""
    head = (
        f"{text.counted(proof.sessions, 'session')} from {day(proof.since)} to {day(proof.until)}: "
        f"{text.counted(proof.lines, 'line')} in {proof.tokens:,} tokens."
    )
    rows = [
        f"{bar(one.met / max(1, one.of), glyphs, PROOF_BAR)}  {one.met:,} of {one.of:,}, by chance "
        f"{one.shuffled:,}\n{NEEDS[one.name]}\n"
        for one in proof.benefits
    ]
    rows += [f"You said “{one.said}”. Cortex had: {one.line}" for one in proof.spared]
    return "\n".join([head, "", *rows])


def size(number: int) -> str:
    """A number of bytes for people: `212 kB`, `1.4 MB`."""
    if number < 1_000_000:
        return f"{number / 1000:.0f} kB" if number >= 1000 else f"{number} B"
    return f"{number / 1_000_000:.1f} MB"


def _refused(refused: Mapping[str, int]) -> str:
    most = sorted(refused.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{number} {reason}" for reason, number in most)


SCRUB = (
    "The secret itself is never shown. Removing it writes [redacted] instead, in memories and in "
    "all that the journal knows of them; this is the one thing that cannot be undone. Make the "
    "secret itself invalid as well: others may have seen it."
)

"""The command `report`: what you had to say again, what had become of it, and what to do; what
capture did and what was injected.
"""

import shlex
from collections.abc import Iterator

import click

from cortex_core.base import text
from cortex_core.base.agent_names import LABELS
from cortex_core.cli import output, prose
from cortex_core.cli.command import Run, command, limit_option, pass_run
from cortex_core.cli.output import Column, View
from cortex_core.cli.prose import cut, day, short, when
from cortex_core.records.as_json import to_json
from cortex_core.records.kept_rules import Repair, Repeat, RepeatMonth, RepeatReport

LONGEST_SAID, LONGEST_BEFORE = 60, 200
"""Characters of the user's words in a line, and of what they said before."""

NEXT: dict[Repair, str] = {
    "remember": "cortex remember {said}",
    "keep": "cortex suggestions keep {id}",
    "release": "cortex suggestions keep {id} --quarantined",
    "restore": "cortex restore {id}",
    "inject": "cortex give {id} normal",
    "trigger": "cortex trigger set {id} TRIGGER",
    "guard": "cortex trigger guard {id} ask",
    "pin": "cortex pin {id}",
    "edit": "cortex edit {id}",
    "floor": "cortex config set prompt.floor",
}
"""The command of each repair."""


def next_step(case: Repeat) -> str:
    """The command that is most likely to spare the user from saying it once more."""
    form = NEXT[case.repairs[0]] if case.repairs else ""
    return form.format(
        id=short(case.memory),
        said=(shlex.quote(case.rule) if set(case.rule) & set('"$`\\!') else f'"{case.rule}"'),
    )


MONTHS: View[RepeatMonth] = View(
    (
        Column("month"),
        Column("first time", right=True),
        Column("again", right=True),
        Column("not learned", right=True),
        Column("not given", right=True),
        Column("not followed", right=True),
        Column("followed", right=True),
    ),
    lambda month: (
        month.month,
        f"{month.first:,}",
        f"{month.again:,}",
        f"{month.not_learned:,}",
        f"{month.not_given:,}",
        f"{month.not_followed:,}",
        f"{month.followed:,}",
    ),
    headed=True,
)

CASES: View[tuple[int, Repeat]] = View(
    (
        Column("no", right=True),
        Column("when"),
        Column("session"),
        Column("what came", "magenta"),
        Column("you said", fills=True),
        Column("memory", "cyan"),
    ),
    lambda numbered: _row(*numbered),
    lambda numbered: to_json(numbered[1]),
)


def _row(number: int, case: Repeat) -> tuple[str, ...]:
    named = f"{short(case.memory)} {case.title}" if case.memory else "none"
    came = f"{case.outcome}: {case.why}"
    words = f"“{cut(case.said, LONGEST_SAID)}”"
    return str(number), when(case.time), short(case.session), came, words, named


@command(
    "report",
    examples=(
        "cortex report",
        "cortex report --since 2026-01",
        "cortex report --of figures --since 14d",
        "cortex report --of ledger --limit 100 --json",
        "cortex report --of receipts --session 5f1c2d3e",
    ),
)
@click.option(
    "--of",
    "subject",
    type=click.Choice(["repeats", "figures", "ledger", "receipts"]),
    default="repeats",
    show_default=True,
    help="repeats: what you had to say again; figures: captured, learned, injected, used and paid "
    "over time; ledger: what capture did, session by session; receipts: what was injected.",
)
@click.option(
    "--since",
    metavar="WHEN",
    help="Of repeats and figures: only after this time: 2026-01, 2026-11-05, 30d. Default: 90d, of "
    "figures 12w; a span of three weeks and less is divided into days.",
)
@click.option("--session", metavar="ID", help="Only receipts of the session whose id begins so.")
@click.option(
    "--agent", type=click.Choice([*LABELS]), help="Only rows of the ledger of this agent."
)
@limit_option(50)
@pass_run
def report(
    run: Run,
    subject: str,
    since: str | None,
    session: str | None,
    agent: str | None,
    limit: int,
) -> None:
    """Show what you had to say again, and whether memory had it.

    not learned: no memory said it. not given: a memory did, and was not injected into that session.
    not followed: the agent had it. Each line ends with the memory that says it. followed: tool
    calls that kept a rule after it was injected, as cortex rules kept finds them.

    Of receipts: used: the agent wrote a name, a number or several rare words of it that the session
    had from nowhere else; not used: it wrote none of them until the session ended; cannot be known:
    it has none; not known yet: the session has not ended.
    """
    # Each subject has a span of its own where none is given: figures need weeks to be compared.
    sessions = run.cortex.sessions
    if subject == "figures":
        run.show(sessions.figures(since or "12w"), prose.figures)
    elif subject == "ledger":
        empty = "Nothing has been captured yet. Try: cortex import transcripts"
        output.show(prose.LEDGER, sessions.ledger(limit, agent), as_json=run.json, empty=empty)
    elif subject == "receipts":
        empty = "Nothing has been injected yet."
        output.show(
            prose.RECEIPTS, sessions.receipts(session, limit), as_json=run.json, empty=empty
        )
    else:
        run.show(sessions.report(since or "90d"), _print)


def _about(case: Repeat) -> Iterator[tuple[str, str]]:
    """What was said before, and the next step, each with its style."""
    if case.before:
        yield f"you said before, {when(case.before_time)}: “{cut(case.before, LONGEST_BEFORE)}”", ""
    if step := next_step(case):
        yield f"next: {step}", ""


def _print(found: RepeatReport) -> None:
    """Write the counts by month, the cases, and the next step of each."""
    again = sum(month.again for month in found.months)
    first = sum(month.first for month in found.months)
    repeated = (
        f"you repeated yourself {text.times(again)}" if again else "you never repeated yourself"
    )
    corrected = text.counted(first, "correction")
    # No month means that no correction was seen, which is not the same as none being made.
    if found.months:
        output.say(
            f"Since {day(found.since)} {repeated}. "
            f"{corrected} of yours {'was' if first == 1 else 'were'} said for the first time.",
            "bold",
        )
        output.show(MONTHS, found.months, as_json=False)
    else:
        output.note(
            f"Nothing was corrected since {day(found.since)}, as far as sessions were read."
        )
    if found.cases:
        output.say()
        output.show(CASES, list(enumerate(found.cases, 1)), as_json=False)
        output.say()
        for number, case in enumerate(found.cases, 1):
            output.item(str(number), *_about(case), width=2)
        output.note("To read where it was said: cortex sessions show SESSION")

"""The tables of measured figures in the documents, made from the newest recorded run of each
benchmark: every figure in benchmarks/README.md, those that matter most in README.md.

python -m benchmarks.figures [--write]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import RESULTS, ROOT, Figure, figures_of, number, scaled

BEGIN = "<!-- figures: made by python -m benchmarks.figures --write -->"
END = "<!-- end of figures -->"

ORDER = (
    "hooks",
    "latency",
    "app",
    "fuzzy",
    "scripts",
    "importing",
    "carrying",
    "sync",
    "recall",
    "conversations",
    "prompts",
    "floor",
    "extraction",
    "prove",
    "triggers",
    "duplicates",
    "proposals",
    "secrets",
    "tokens",
    "anchors",
)
"""The order of the benchmarks in the table; others follow by name."""

HEADLINES = {
    "SessionStart, cached": "time that it adds to a session's start, in empty Python starts",
    "lines that fit, set aside": "reminders at a call that are about the rule it breaks",
    "calls that break a rule, nothing said, set aside": "calls that break a rule and get no "
    "reminder, of 120",
}
"""The figures that the README shows: name of the figure, and its wording in the README. All hold
on what no rule was tuned on."""

EXPECTED = {
    "of what a reader would keep, found": "without a language model",
    "of what a reader would keep, kept": "with one",
}
"""The figures below that table, which say what to expect: both were tuned on."""

_GENERATED = "generated; there is nothing to tune on"
ORIGINS = {
    "hooks": f"{_GENERATED}; 10,000 and 100,000 memories",
    "latency": f"{_GENERATED}; 10,000 and 100,000 memories",
    "app": f"{_GENERATED}; 100,000 memories",
    "fuzzy": "600 titles of public transcripts, generated slips; tuned on",
    "scripts": "200 made-up sentences in each of five languages; tuned on",
    "importing": f"public transcripts, and 100 MB {_GENERATED}",
    "carrying": f"{_GENERATED}; up to 100,000 lines",
    "sync": f"{_GENERATED}; 10,000 memories",
    "recall": "LoCoMo, BEAM and CoSQA, whole; samples of them tuned on",
    "conversations": "75 questions about public transcripts; 25 unseen ones not tuned on",
    "prompts": "200 made-up prompts; every second one tuned on, figures are of both halves",
    "floor": "LoCoMo, BEAM, CoSQA, 200 made-up prompts and nonsense; tuned on",
    "extraction": "public transcripts, readers' labels; tuned on but where a figure says unseen",
    "prove": "public transcripts of 14 projects; rules tuned on parts of them",
    "triggers": "30 made-up rules and public transcripts, a reader's labels; tuned on",
    "duplicates": "MSRP, STS-B, BEAM and 1,000 edited sentences; tuned on",
    "proposals": "10 proposals on recorded answers; tuned on",
    "secrets": "generated forms and sentences of public transcripts; tuned on",
    "tokens": "430 replies with the counts of the API; tuned on 16 of them, of earlier models",
    "anchors": "10 commits of this repository, 200 names at each; tuned on",
    "again": "130 made-up pairs; tuned on but where a figure says unseen",
    "atrest": "generated secrets in every place that is read; tuned on",
    "everyday_rules": "100 made-up rules, 8 calls each; the 30 set aside unread and not tuned on",
    "faults": "generated faults; there is nothing to tune on",
    "foreign_secrets": "made up without a look at the filter; tuned on after a first run",
    "hub": f"{_GENERATED}; 1,000,000 memories",
    "hub_writers": f"{_GENERATED}; 50 writers",
    "poisoning": "238 made-up attacks through every way in; tuned on",
    "reading": "24 sessions, readers' answers; tuned on but where a figure says set aside",
    "reversals": "120 made-up pairs, 200 prompts; the unseen half not tuned on, its totals watched",
    "sdebench": "11 public bug reports, 40 ordinary prompts; tuned on",
}
"""What each benchmark measures on, how many, and whether anything was tuned on it."""

LAST_DAYS = 7
"""Days by which a run may be older than the newest one: a figure is of about this code."""


def newest(folder: Path = RESULTS) -> list[dict[str, Any]]:
    """The newest recorded run of each benchmark, in the order of the table."""
    runs: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        run = json.loads(path.read_text("utf-8"))
        known = runs.get(run["benchmark"])
        if known is None or run["about"]["time"] > known["about"]["time"]:
            runs[run["benchmark"]] = run
    return sorted(runs.values(), key=lambda run: _rank(run["benchmark"]))


def table(runs: Sequence[dict[str, Any]]) -> str:
    """Every figure that has a bound, as a Markdown table."""
    rows = (
        f"| {figure.name} | {number(figure.value, figure.unit)} | {scaled(figure)} | "
        f"{_limit(figure)} | `python -m benchmarks.{run['benchmark']}` |"
        for run, figure in _bound(runs)
    )
    origins = (
        f"| {run['benchmark']} | {ORIGINS[run['benchmark']]} | {_run(run)} |" for run in runs
    )
    return "\n".join(
        (
            "| measured | value | scaled | bound | command |",
            "|---|--:|--:|--:|---|",
            *rows,
            "",
            "| benchmark | measured on, and whether anything was tuned on it | recorded |",
            "|---|---|---|",
            *origins,
            *_proved(runs),
        )
    )


def _proved(runs: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What `cortex prove` shows of each project, as a Markdown table; nothing without a run."""
    for run in (run for run in runs if run["benchmark"] == "prove"):
        yield from (
            "",
            "| `cortex prove` on | sessions | prompts | corrections: spared (placebo) | failing "
            "commands: warned | lines given: used | turns quoted: used |",
            "|---|--:|--:|--:|--:|--:|--:|",
        )
        for row in run["details"]["projects"]:
            needs = (row[name] for name in ("corrections", "failures", "lines", "quotations"))
            cells = [f"{of}: {met} ({shuffled})" for of, met, shuffled in needs]
            first = (row["project"], str(row["sessions"]), str(row["prompts"]))
            yield f"| {' | '.join((*first, *cells))} |"


def headlines(runs: Sequence[dict[str, Any]]) -> str:
    """The figures of `HEADLINES` as a table, and those of `EXPECTED` and of `prove` in words.

    Raises:
        SystemExit: a figure is in no recorded run.
    """
    figures = {figure.name: (run, figure) for run, figure in _bound(runs)}
    if missing := [name for name in (*HEADLINES, *EXPECTED) if name not in figures]:
        raise SystemExit(f"Nothing was written: no recorded run has “{missing[0]}”.")

    def shown(name: str) -> tuple[str, str, str]:
        """The value of a figure, what it was measured on, and where it is recorded."""
        run, figure = figures[name]
        return number(figure.value, figure.unit), ORIGINS[run["benchmark"]], _run(run)

    rows = (f"| {words} | {' | '.join(shown(name))} |" for name, words in HEADLINES.items())
    expected = (
        "{1} {0} ({2}; {3})".format(words, *shown(name)) for name, words in EXPECTED.items()
    )
    sentence = (
        f"Of what a careful reader would keep of a session, Cortex has {' and '.join(expected)}."
    )
    head = ("| measured | value | measured on | recorded |", "|---|--:|---|---|")
    replays = (_replays(run) for run in runs if run["benchmark"] == "prove")
    return "\n".join((*head, *rows, "", sentence, *replays))


def _replays(run: Mapping[str, Any]) -> str:
    """What a run of `prove` shows, in one sentence."""
    have = {figure.name: number(figure.value, figure.unit) for figure in figures_of(run)}
    used, spared = "lines given that came to use", "corrections that a line said before the user"
    return (
        "`cortex prove` replays past sessions by rules alone, next to a placebo: in "
        f"{have['sessions replayed']} sessions of {have['projects replayed']} public projects "
        f"{have[used]} of {have['lines given']} lines came to use, "
        f"{have[f'{used}: placebo']} of the placebo's, and {have[spared]} of "
        f"{have['corrections']} corrections would have been spared ({_run(run)})."
    )


DOCUMENTS: Mapping[Path, Callable[[Sequence[dict[str, Any]]], str]] = {
    ROOT / "README.md": headlines,
    ROOT / "benchmarks" / "README.md": table,
}
"""The documents with a table of figures, and what makes it."""


def written(path: Path, runs: Sequence[dict[str, Any]]) -> str:
    """The document at `path`, its table made from `runs`."""
    return replaced(path.read_text("utf-8"), DOCUMENTS[path](runs))


def replaced(document: str, tables: str) -> str:
    """`document` with the text between the two markers replaced by `made`.

    Raises:
        SystemExit: it has no markers.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"Nothing was written: there are no lines {BEGIN} and {END}.")
    return f"{before}{begin}\n{tables}\n{end}{after}"


def _bound(runs: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Figure]]:
    """Every figure that has a bound, after its run."""
    for run in runs:
        yield from ((run, each) for each in figures_of(run) if each.must is not None)


def _run(run: Mapping[str, Any]) -> str:
    """Commit, day and processor of a run."""
    about = run["about"]
    commit = about["commit"][:8] + (" and changes" if about.get("changed") else "")
    return ", ".join((commit, about["time"][:10], about.get("processor") or "processor not noted"))


def _limit(figure: Figure) -> str:
    assert figure.must is not None
    return f"{'≥' if figure.more else '≤'} {number(figure.must, figure.unit)}"


def _rank(name: str) -> tuple[int, str]:
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of all figures, or write the tables into the documents."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    runs = newest()
    if not given:
        print(table(runs))
        return 0
    if given != ["--write"]:
        print((__doc__ or "").strip())
        return 2
    for path, text in {path: written(path, runs) for path in DOCUMENTS}.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The tables of measured figures in the documents, made from the newest recorded run of each
benchmark: every figure in benchmarks/README.md, the six that matter most in README.md.

python -m benchmarks.figures [--write]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import RESULTS, ROOT, Figure, figures_of, number

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
    "handover",
    "extraction",
    "triggers",
    "duplicates",
    "proposals",
    "secrets",
    "tokens",
    "anchors",
)
"""The order of the benchmarks in the table; others follow by name."""

HEADLINES = {
    "SessionStart, cached": "hook at session start (an empty Python start is 1x)",
    "recall R@10, locomo": "right memory among the first ten hits (LoCoMo)",
    "kept at once: good": "kept by rules alone, and good to know a week later",
    "of what a reader would keep, found": "of what a reader would keep, found by rules",
    "kept: good": "kept where a model reads as well, and good to know a week later",
    "of what a reader would keep, kept": "of what a reader would keep, kept then",
}
"""The figures that the README shows: name of the figure, and its wording in the README."""


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
    return _table(
        (figure.name, figure, f"`python -m benchmarks.{name}`") for name, figure in _bound(runs)
    )


def headlines(runs: Sequence[dict[str, Any]]) -> str:
    """The figures of `HEADLINES`, as a Markdown table.

    Raises:
        SystemExit: a figure is in no recorded run.
    """
    figures = {figure.name: (name, figure) for name, figure in _bound(runs)}
    if missing := [name for name in HEADLINES if name not in figures]:
        raise SystemExit(f"Nothing was written: no recorded run has “{missing[0]}”.")
    rows = ((words, *figures[name]) for name, words in HEADLINES.items())
    return _table((words, figure, f"`python -m benchmarks.{name}`") for words, name, figure in rows)


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


def _bound(runs: Sequence[dict[str, Any]]) -> Iterator[tuple[str, Figure]]:
    """Every figure that has a bound, after the name of its benchmark."""
    for run in runs:
        yield from ((run["benchmark"], each) for each in figures_of(run) if each.must is not None)


def _table(rows: Iterable[tuple[str, Figure, str]]) -> str:
    lines = [
        f"| {words} | {number(figure.value, figure.unit)} | {_limit(figure)} | {command} |"
        for words, figure, command in rows
    ]
    return "\n".join(("| measured | value | bound | command |", "|---|--:|--:|---|", *lines))


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

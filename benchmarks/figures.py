"""The README's table of measured figures, made from the newest recorded run of each benchmark.

python -m benchmarks.figures [--write README.md]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import RESULTS, figures_of, number

BEGIN = "<!-- figures: made by python -m benchmarks.figures --write README.md -->"
END = "<!-- end of figures -->"

ORDER = (
    "hooks", "latency", "app", "importing", "recall", "prompts", "extraction", "duplicates",
    "secrets", "tokens",
)  # fmt: skip
"""The benchmarks, as the table lists them; others follow by name."""


def newest(folder: Path = RESULTS) -> list[dict[str, Any]]:
    """The newest recorded run of each benchmark, in the table's order."""
    runs: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        run = json.loads(path.read_text("utf-8"))
        known = runs.get(run["benchmark"])
        if known is None or run["about"]["time"] > known["about"]["time"]:
            runs[run["benchmark"]] = run
    return sorted(runs.values(), key=lambda run: _place(run["benchmark"]))


def table(runs: Sequence[dict[str, Any]]) -> str:
    """Every figure that is held to a bound, as a Markdown table."""
    rows = [row for run in runs for row in _rows(run)]
    return "\n".join(
        ("| measured | value | at most, at least | command |", "|---|--:|--:|---|", *rows)
    )


def replaced(document: str, made: str) -> str:
    """`document` with what stands between the two markers replaced.

    Raises:
        SystemExit: it has no markers.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"Nothing was written: there are no lines {BEGIN} and {END}.")
    return f"{before}{begin}\n{made}\n{end}{after}"


def _rows(run: dict[str, Any]) -> Iterator[str]:
    command = f"`python -m benchmarks.{run['benchmark']}`"
    for figure in figures_of(run):
        if figure.must is not None:
            sign = "≥" if figure.more else "≤"
            bound = f"{sign} {number(figure.must, figure.unit)}"
            yield f"| {figure.name} | {number(figure.value, figure.unit)} | {bound} | {command} |"


def _place(name: str) -> tuple[int, str]:
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, or write it into a document."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    made = table(newest())
    if not given:
        print(made)
        return 0
    if len(given) != 2 or given[0] != "--write":
        print((__doc__ or "").strip())
        return 2
    path = Path(given[1])
    path.write_text(replaced(path.read_text("utf-8"), made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

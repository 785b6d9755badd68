"""Two runs of a benchmark side by side.

python -m benchmarks.compare BEFORE.json AFTER.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import Figure, figures_of, number, table


def compared(before: Sequence[Figure], after: Sequence[Figure]) -> Iterator[tuple[str, ...]]:
    """A row for each figure of either run: its name, both values, and the change in percent."""
    old = {figure.name: figure for figure in before}
    new = {figure.name: figure for figure in after}
    for name in dict.fromkeys((*old, *new)):
        pair = [old.get(name), new.get(name)]
        shown = ["-" if one is None else number(one.value, one.unit) for one in pair]
        yield (name, *shown, _change(*pair))


def _change(before: Figure | None, after: Figure | None) -> str:
    if before is None or after is None or not before.value or before.value == after.value:
        return ""
    change = after.value / before.value - 1
    better = (change > 0) == after.more
    return f"{change:+.1%} {'better' if better else 'worse'}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both runs; 0 when they are of one benchmark."""
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) != 2:
        print((__doc__ or "").strip())
        return 2
    runs: list[dict[str, Any]] = [json.loads(Path(path).read_text("utf-8")) for path in given]
    heads = [f"{run['about']['commit'][:8]} {run['about']['time'][:10]}" for run in runs]
    print(table(("", *heads, ""), compared(*map(figures_of, runs))))
    return int(runs[0]["benchmark"] != runs[1]["benchmark"])


if __name__ == "__main__":
    sys.exit(main())

"""What `cortex prove` shows on public transcripts, by rules alone, next to its placebo.

    CORTEX_DATA=DIR python -m benchmarks.prove [--only PROJECT] [--record]

Each project is replayed as its user would do it, in an empty home. A need must be met at least as
often as the placebo meets it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args
from unittest import mock

from benchmarks import report
from benchmarks.report import Figure
from cortex_core import Cortex, prove
from cortex_core.records.proofs import BenefitName, Proof

NEEDS: dict[BenefitName, tuple[str, str]] = {
    "corrections": ("corrections", "that a line said before the user"),
    "failures": ("failing commands", "with a rule recalled before"),
    "lines": ("lines given", "that came to use"),
    "quotations": ("turns quoted", "that came to use"),
}
"""The needs in words: what is counted, and when it is met."""


def replayed(sessions: Path) -> Proof:
    """What is shown of the sessions of one project, in a home and a project that are empty."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        (project / ".git").mkdir(parents=True)
        home = {name: str(Path(folder, "home")) for name in ("HOME", "CORTEX_HOME")}
        home["CLAUDE_CONFIG_DIR"] = str(Path(folder, "home", ".claude"))
        with mock.patch.dict(os.environ, home), Cortex.open(project) as cortex:
            return prove.prove(cortex, [sessions])


def row(name: str, proof: Proof) -> dict[str, Any]:
    """What the table has of a project."""
    needs = {one.name: [one.of, one.met, one.shuffled] for one in proof.benefits}
    return {"project": name, "sessions": proof.sessions, "prompts": proof.prompts} | needs


def figures(rows: Sequence[dict[str, Any]]) -> list[Figure]:
    """The sums over all projects; each need is bound by what the placebo meets."""
    sums: Counter[str] = Counter()
    for one in rows:
        sums.update({name: one[name] for name in ("sessions", "prompts")})
        for need in NEEDS:
            sums.update(dict(zip((f"{need} of", need, f"{need} shuffled"), one[need], strict=True)))
    found = [Figure("projects replayed", len(rows))]
    found += [Figure(f"{name} replayed", sums[name]) for name in ("sessions", "prompts")]
    for need, (counted, met) in NEEDS.items():
        placebo = sums[f"{need} shuffled"]
        found += [
            Figure(counted, sums[f"{need} of"]),
            Figure(f"{counted} {met}", sums[need], must=placebo, more=True),
            Figure(f"{counted} {met}: placebo", placebo),
        ]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay every project; 1 where the placebo met more of a need."""
    parser = report.options(__doc__, "prove")
    parser.add_argument("--only", default="", help="the project of this name alone")
    chosen = parser.parse_args(arguments)
    assert {*NEEDS} == {*get_args(BenefitName)}
    folders = sorted(report.data_folder(chosen, "transcripts").iterdir())
    rows = []
    for folder in folders:
        if folder.is_dir() and chosen.only in ("", folder.name):
            rows.append(row(folder.name, replayed(folder)))
            print(rows[-1], flush=True)
    return report.finish("prove", chosen, figures(rows), {"projects": rows})


if __name__ == "__main__":
    sys.exit(main())

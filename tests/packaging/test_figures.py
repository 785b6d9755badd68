"""The measured figures in the documents are those of the newest recorded runs."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmarks import compare, figures, report
from benchmarks.report import RESULTS, Figure, figures_of, number

ROOT = Path(__file__).resolve().parents[2]


def run(name: str, time: str, *found: Figure) -> dict[str, Any]:
    return {
        "benchmark": name,
        "about": {"time": time, "commit": "c0ffee00"},
        "figures": [figure._asdict() for figure in found],
    }


@pytest.mark.parametrize("path", figures.DOCUMENTS, ids=lambda path: path.parent.name)
def test_documents_show_the_newest_runs(path: Path) -> None:
    shown = path.read_text("utf-8")
    assert figures.written(path, figures.newest()) == shown, "python -m benchmarks.figures --write"


def test_every_figure_with_a_bound_is_shown() -> None:
    shown = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    bound = [
        figure
        for path in RESULTS.glob("*.json")
        for figure in figures_of(json.loads(path.read_text("utf-8")))
        if figure.must is not None
    ]
    assert len(bound) > 30
    assert [each.name for each in bound if f"| {each.name} |" not in shown] == []


def test_what_the_readme_shows_was_not_tuned_on() -> None:
    runs = figures.newest()
    shown = figures.headlines(runs).splitlines()
    rows = [line for line in shown if line.startswith("| ")][1:]
    sentence = next(line for line in shown if line.startswith("Of what a careful"))
    assert 3 <= len(rows) <= 4
    assert sentence.count("tuned on") == 2
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [row for row in rows if row not in readme] == []
    assert "](benchmarks/README.md)" in readme
    assert [row for row in rows if "not tuned on" not in row and "nothing to tune" not in row] == []
    assert " and changes" not in "".join(rows)


def test_every_run_says_what_it_measured_on_and_none_is_stale() -> None:
    runs = figures.newest()
    assert [run["benchmark"] for run in runs if run["benchmark"] not in figures.ORIGINS] == []
    assert [name for name, origin in figures.ORIGINS.items() if "tune" not in origin] == []
    days = {run["benchmark"]: date.fromisoformat(run["about"]["time"][:10]) for run in runs}
    oldest = max(days.values()) - timedelta(days=figures.LAST_DAYS)
    assert [name for name, day in days.items() if day < oldest] == [], "record them again"


def test_times_and_rates_are_judged_as_on_the_reference_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "empty_start", lambda: 3 * report.REFERENCE_START)
    measured = [
        Figure("a search", 240.0, "ms", must=100, goal=50),
        Figure("read", 5.0, "MB/s", must=10, more=True),
        Figure("a hook", 3.0, "x", must=2),
    ]
    judged = report.on_this_machine(measured)
    assert [each.scaled for each in judged] == [80.0, 15.0, 3.0]
    assert [each.verdict for each in judged] == ["must", "must", "MISSED"]
    assert [report.scaled(each) for each in judged] == ["80 ms", "15 MB/s", ""]
    assert report.on_this_machine(measured[2:]) == measured[2:]


def test_only_a_clean_tree_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = report.options("A benchmark.", "again")
    monkeypatch.setattr(report, "_git", lambda *_arguments: " M cortex_core/api.py")
    with pytest.raises(SystemExit):
        parser.parse_args(["--record"])
    assert not parser.parse_args([]).record
    monkeypatch.setattr(report, "_git", lambda *_arguments: "")
    assert parser.parse_args(["--record"]).record


def test_a_headline_that_no_run_has_is_an_error() -> None:
    with pytest.raises(SystemExit, match="SessionStart, cached"):
        figures.headlines([])


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_a_recorded_run_is_whole(path: Path) -> None:
    found = json.loads(path.read_text("utf-8"))
    assert figures_of(found)
    assert {"time", "commit", "python", "load", "packages"} <= set(found["about"])
    assert path.stat().st_size < 200_000


def test_only_the_newest_run_and_only_bound_figures_count(tmp_path: Path) -> None:
    bound, free = Figure("start", 2.0, "x", 4.0, 3.0), Figure("bare", 9.0, "ms")
    for name, found in {
        "old": run("hooks", "2026-01-01T00:00:00Z", bound._replace(value=3.0)),
        "new": run("hooks", "2026-02-01T00:00:00Z", bound, free),
        "other": run("tokens", "2026-01-05T00:00:00Z", Figure("off", 6.5, "%", 20.0)),
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
    rows = figures.table(figures.newest(tmp_path)).splitlines()
    shown = [row.split(" | ")[:2] for row in rows if "python -m" in row]
    assert shown == [["| start", "2x"], ["| off", "6.50%"]]
    assert rows[-2].endswith("| c0ffee00, 2026-02-01, processor not noted |")


def test_a_document_without_the_markers_is_left_alone() -> None:
    with pytest.raises(SystemExit):
        figures.replaced("# A project", "| a |")
    kept = figures.replaced(f"a\n{figures.BEGIN}\nold\n{figures.END}\nb", "new")
    assert kept == f"a\n{figures.BEGIN}\nnew\n{figures.END}\nb"


@pytest.mark.parametrize(
    ("figure", "verdict"),
    [
        (Figure("a", 2, must=4, goal=3), "goal"),
        (Figure("a", 3.5, must=4, goal=3), "must"),
        (Figure("a", 5, must=4, goal=3), "MISSED"),
        (Figure("a", 80, must=60, goal=80, more=True), "goal"),
        (Figure("a", 59, must=60, more=True), "MISSED"),
        (Figure("a", 1), ""),
    ],
)
def test_verdicts(figure: Figure, verdict: str) -> None:
    assert figure.verdict == verdict


def test_two_runs_side_by_side() -> None:
    before = [Figure("start", 4.0, "x"), Figure("gone", 1.0), Figure("rate", 10.0, more=True)]
    after = [Figure("start", 5.0, "x"), Figure("rate", 20.0, more=True)]
    assert list(compare.compared(before, after)) == [
        ("start", "4x", "5x", "+25.0% worse"),
        ("gone", "1", "-", ""),
        ("rate", "10", "20", "+100.0% better"),
    ]


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(1234.5, "ms", "1,234 ms"), (12.34, "x", "12.3x"), (0.456, "s", "0.46 s"), (7, "", "7")],
)
def test_numbers_read_well(value: float, unit: str, shown: str) -> None:
    assert number(value, unit) == shown

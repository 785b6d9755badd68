"""Whether a bug report brings back the conversation in which its decision was made.

    CORTEX_DATA=DIR python -m benchmarks.sdebench [--sessions N] [--show] [--record]

The sessions of sde-bench, decisions and decoys mixed, are spread over three months and imported;
with `--sessions` so many others, recombined from real ones, are in the archive too.
Each bug report is then put to the prompt as the hook does it: whole, by its first sentence alone,
and with the conversation of its decision removed, where nothing is to be quoted. Forty ordinary
prompts are to get nothing. Each prompt is also put to a whole hook process of an installed wheel,
next to a bare start of Python.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import conversation_data, report
from benchmarks.installed import Installed, environment, milliseconds
from benchmarks.report import Figure
from benchmarks.stores import Made
from cortex_core import Cortex
from cortex_core.archive import quotes
from cortex_core.archive.collecting import Collected
from cortex_core.archive.quotes import Quotation
from cortex_core.base.project import archive_next_to
from cortex_core.base.text import words
from cortex_core.store.reader import connect
from tests.transcript_samples import Sample

START = datetime(2026, 8, 1, 9, tzinfo=UTC)
APART = timedelta(hours=20)
SEED = 7
ROUNDS = 3
"""How often each prompt is put to a hook process, each time in a session of its own."""

ORDINARY = tuple(
    """
    Fix the lint errors
    do 0.54.0
    Can you run the tests again and commit?
    Refactor the sort function in listutils to be faster
    Why does the cache test fail on CI?
    Write a summary of the changes for the release notes
    merge it
    update the README with the new options
    please continue with the next item of the plan
    What does this function do?
    add type hints to the module and run mypy
    rename the variable, it is misleading
    the build is red, have a look
    thanks, now push the branch
    split this file in two
    is there a simpler way to write this loop?
    remove the dead code you found
    write a test for the empty list
    use a dataclass instead of the dict
    show me the diff before you commit
    bump the version and tag it
    why is this slow? profile it
    translate the error messages to German
    the screenshot shows the dialog is cut off, fix the layout
    revert your last change
    check whether the docs mention this flag
    explain the difference between the two branches
    open a pull request with a short description
    can we drop Python 3.8?
    let's do the second option
    clean up the imports
    make the button blue
    rebase on main and resolve the conflicts
    how do I run a single test?
    add a changelog entry
    upgrade the dependencies and see what breaks
    the type checker complains about line 40
    review this function for bugs
    implement the plan
    no, the other one
    """.strip().splitlines()
)


def build(folder: Path, data: Path, more: Iterable[Collected] = ()) -> tuple[Path, dict[str, str]]:
    """An archive of all sessions and of `more`; its file, and the task of each session that decided
    one."""
    tasks = json.loads(Path(data, "tasks.json").read_text("utf-8"))
    decoys = json.loads(Path(data, "decoys.json").read_text("utf-8"))
    talks: list[tuple[str, Sequence[Mapping[str, str]]]] = []
    for task in tasks:
        told = task["conversations"]
        parts = told if isinstance(told[0], list) else [told]
        talks += [(f"{task['task_id']} {n}", part) for n, part in enumerate(parts)]
    talks += [(f"decoy {n}", decoy["turns"]) for n, decoy in enumerate(decoys)]
    random.Random(SEED).shuffle(talks)
    root = Path(folder, "project")
    (root / ".memory").mkdir(parents=True)
    files, task_of = [], {}
    for n, (name, turns) in enumerate(talks):
        sample = Sample(name, cwd=str(root), start=START + n * APART)
        for turn in turns:
            (sample.human if turn["role"] == "user" else sample.assistant)(turn["text"])
        files.append(folder / f"{sample.session}.jsonl")
        files[-1].write_bytes(b"".join(sample.lines()))
        if not name.startswith("decoy"):
            task_of[sample.session] = name.split()[0]
    with Cortex.open(root, folder / "home") as cortex:
        cortex.exchange.import_transcripts(files)
        conversation_data.fill(cortex, more)
    return Path(archive_next_to(str(root / ".memory" / "cortex.db"))), task_of


def decides(quotation: Quotation, task: Mapping[str, Any]) -> bool:
    """Whether what is quoted holds words of the policy that the report lacks.

    Two are needed, or one of a policy that has only two or three.
    """
    new = {*words(task["policy"])} - {*words(task["bug_report"])}
    telling = {word for word in new if len(word) > 3 or any(map(str.isdigit, word))}
    return len(telling & {*words(quotation.text)}) >= max(1, min(2, len(telling) // 2))


@contextmanager
def without(file: Path, sessions: Sequence[str]) -> Iterator[sqlite3.Connection]:
    """The archive as it would be without some sessions: they are back when it is closed."""
    with closing(sqlite3.connect(file)) as archive:
        archive.execute("PRAGMA foreign_keys = ON")
        marks = ",".join("?" * len(sessions))
        archive.execute(f"DELETE FROM conversation WHERE session IN ({marks})", tuple(sessions))
        yield archive


def made(chosen: Namespace) -> Iterable[Collected]:
    """The sessions that are in the archive besides."""
    if not chosen.sessions:
        return ()
    return conversation_data.made(report.data_folder(chosen, "transcripts"), chosen.sessions)


def whole(
    product: Installed, folder: Path, reports: Sequence[str], most: float
) -> Iterator[Figure]:
    """How long the prompt hook takes as a process, by the reports and the ordinary prompts.

    Args:
        folder: where `build` made the archive.
        most: bare starts that the median may take.
    """
    made = Made(folder / "project", folder / "home", 0)
    bare, times = [], []
    for number, prompt in enumerate((*reports, *ORDINARY)):
        runs = []
        for turn in range(ROUNDS):
            event = {"session_id": f"prompt-{number}-{turn}", "cwd": str(made.root)}
            start = {**event, "hook_event_name": "SessionStart", "source": "startup"}
            milliseconds(product.hook, environment(made), made.root, json.dumps(start).encode())
            product.wait()
            said = {**event, "hook_event_name": "UserPromptSubmit", "prompt": prompt.strip()}
            bare.append(milliseconds(product.bare, environment(made), made.root)[0])
            data = json.dumps(said).encode()
            runs.append(milliseconds(product.hook, environment(made), made.root, data)[0])
            product.wait()
        times.append(median(runs))
    one = median(bare)
    yield Figure("prompt hook, reports and ordinary prompts", median(times) / one, "x", most)
    yield Figure("prompt hook, reports alone", median(times[: len(reports)]) / one, "x")
    yield Figure("prompt hook, the slowest", max(times) / one, "x", 8)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "sdebench")
    parser.add_argument("--show", action="store_true", help="print what is quoted")
    parser.add_argument("--sessions", type=int, default=0, help="made up besides")
    chosen = parser.parse_args(arguments)
    data = report.data_folder(chosen, "sde-bench")
    tasks = json.loads(Path(data, "tasks.json").read_text("utf-8"))
    counts = dict.fromkeys(("right", "deciding", "first right", "first wrong", "removed"), 0)
    took = []
    with tempfile.TemporaryDirectory(prefix="cortex-sdebench-") as scratch:
        file, task_of = build(Path(scratch), data, made(chosen))
        product = Installed(Path(scratch, "installed"))
        reports = [task["bug_report"] for task in tasks]
        speed = [*whole(product, Path(scratch), reports, 6 if chosen.sessions else 5)]
        own: dict[str, list[str]] = {task["task_id"]: [] for task in tasks}
        for session, name in task_of.items():
            own[name].append(session)
        with closing(connect(str(file))) as archive:
            for task in tasks:
                name, prompt = task["task_id"], task["bug_report"]
                started = time.process_time()
                found = quotes.quotations(archive, prompt)
                took.append(time.process_time() - started)
                counts["right"] += any(task_of.get(one.session) == name for one in found)
                counts["deciding"] += any(decides(one, task) for one in found)
                first = quotes.quotations(archive, prompt.split(". ")[0])
                at = {task_of.get(one.session) == name for one in first}
                counts["first right"] += True in at
                counts["first wrong"] += False in at
                with without(file, own[name]) as rest:
                    counts["removed"] += bool(quotes.quotations(rest, prompt))
                if chosen.show:
                    print(f"\n{name}: {task['policy'][:160]}")
                    print(*(f"  {one.speaker}: {one.text}" for one in found), sep="\n")
            quoted = sum(bool(quotes.quotations(archive, prompt.strip())) for prompt in ORDINARY)
    of = len(tasks)
    measured = [
        Figure(f"of {of} reports, right conversation quoted", counts["right"], "", 10, of, True),
        Figure("a turn that decides among the lines", counts["deciding"], "", 9, of, True),
        Figure("first sentence alone, right", counts["first right"], "", 7, of, True),
        Figure("first sentence alone, wrong", counts["first wrong"], "", 0, 0),
        Figure("its conversation removed, something quoted", counts["removed"], "", 1, 0),
        Figure(f"of {len(ORDINARY)} ordinary prompts, quoted", quoted, "", 0, 0),
        Figure("processor time of one report, most", 1000 * max(took), "ms"),
        *speed,
    ]
    return report.finish("sdebench", chosen, measured, {})


if __name__ == "__main__":
    sys.exit(main())

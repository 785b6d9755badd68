"""Changing commands, killed and out of disk at a write: all of it happened, or nothing did.

`python -m benchmarks.faults` does the same at hundreds of writes of every command.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.faults import commands, interposer
from benchmarks.faults.interposer import Fault
from benchmarks.faults.writes import Breaker

needs_compiler = pytest.mark.skipif(bool(interposer.missing()), reason=interposer.missing())


@pytest.fixture(scope="module")
def breaker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Breaker]:
    found = Breaker(tmp_path_factory.mktemp("faults") / "breaker")
    yield found
    found.close()


@needs_compiler
@pytest.mark.parametrize(
    ("name", "how", "share"),
    [
        ("remember", "kill", 0.5),
        ("snapshot restore", "kill", 0.4),
        ("export jsonl", "kill", 0.5),
        ("install", "kill", 1.0),
        ("pause", "EIO", 1.0),
        ("index-code", "ENOSPC", 0.8),
        ("move (to global)", "kill", 0.55),
    ],
)
def test_all_or_nothing_and_a_true_message(
    breaker: Breaker, name: str, how: str, share: float
) -> None:
    row = breaker.once(name, how, share)
    assert (row.lost, row.doubled, row.hooks, row.notes) == (0, 0, 0, ())


@needs_compiler
def test_bad_places_and_stores(breaker: Breaker) -> None:
    for row in breaker.scene("glimpse"):
        assert (row.fault, row.held, row.notes) == (row.fault, True, ())
        assert row.times == 7


def test_every_changing_command_is_broken_or_left_out_with_a_reason() -> None:
    assert commands.unknown() == set()


def test_an_errno_is_named_and_a_fault_says_what_it_is() -> None:
    fault = Fault("ENOSPC", 3, 7, "sync")
    assert str(fault) == "ENOSPC at call 3 to 7 if it is a sync"
    assert not fault.ends


@needs_compiler
def test_the_library_counts_and_breaks(tmp_path: Path) -> None:
    import os
    import subprocess
    import sys

    code = "open('a', 'w').write('x'); import os; os.rename('a', 'b'); os.unlink('b')"
    state = tmp_path / "state"
    below = tmp_path / "below"
    below.mkdir()
    for fault, counted in (
        (Fault(), (4, 0)),
        (Fault("EIO", 3), (3, 1)),
        (Fault("ENOSPC", 4), (4, 0)),
    ):
        variables = fault.variables([below], state)
        environment = {**os.environ, **variables, "LD_PRELOAD": str(interposer.built(tmp_path))}
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=below,
            env=environment,
            capture_output=True,
            check=False,
        )
        assert interposer.counted(state) == counted
        (below / "a").unlink(missing_ok=True)

"""`cortex secrets scan` and `scrub`, as they are typed."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.cli.conftest import Cli

KEY = "AKIA" + "QZ3V7L2M9XK4T8WB"


@pytest.fixture
def leaky(filled: Cli) -> Cli:
    """A store into which a key got."""
    path = filled.project / ".memory" / "cortex.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE memory SET content = content || ' ' || ? WHERE number = 1", (KEY,)
        )
    return filled


def test_nothing_to_find(filled: Cli) -> None:
    assert "No secret was found." in filled.ok("secrets", "scan")
    assert "No secret was found." in filled.ok("secrets", "scrub")


def test_scan_and_scrub(leaky: Cli) -> None:
    done = leaky.run("secrets", "scan")
    assert (done.exit_code, "(content), project store: aws-access-key" in done.stdout) == (1, True)
    assert KEY not in done.stdout + done.stderr
    assert "Removed secrets from 1 place" in leaky.ok("secrets", "scrub", "--yes")
    leaky.ok("secrets", "scan")
    assert "scrub secrets out of 1 place" in leaky.ok("log", "-n", "1")


def test_snapshots_are_left_until_they_may_go(leaky: Cli) -> None:
    leaky.ok("snapshot", "create")
    done = leaky.run("secrets", "scrub")
    assert (done.exit_code, "--remove-snapshots" in done.stderr) == (1, True)
    (report,) = leaky.json("secrets", "scrub", "--remove-snapshots")
    assert (len(report["removed"]), report["left"]) == (1, [])

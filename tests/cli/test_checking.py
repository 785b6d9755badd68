"""`cortex doctor`, as it is typed."""

from __future__ import annotations

import pytest

from cortex_core.doctor import connection_checks
from cortex_core.doctor.examine import CHECKS
from tests.cli.conftest import Cli


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """How busy this machine is says nothing of the hooks."""
    monkeypatch.setattr(connection_checks, "SLOW", 60.0)
    monkeypatch.setattr(connection_checks, "END", 60.0)


def test_every_check_is_told_as_json(filled: Cli) -> None:
    found = filled.json("doctor")
    assert [one["name"] for one in found] == [check.name for check in CHECKS]
    assert {one["state"] for one in found} <= {"ok", "warning", "skipped"}, found
    warned = {one["name"] for one in found if one["state"] == "warning"}
    assert "claude" in warned
    assert all(one["next_step"] for one in found if one["state"] == "warning")


def test_a_ruin_is_told_and_mended_as_far_as_it_goes(filled: Cli) -> None:
    data = filled.project / ".memory"
    for tail in ("-wal", "-shm"):
        (data / f"cortex.db{tail}").unlink(missing_ok=True)
    (data / "cortex.db").write_bytes(b"no database at all" * 999)
    (data / "config.toml").write_text("surface.tokens = 'many'", encoding="utf-8")
    data.chmod(0o755)
    done = filled.run("doctor", "--fix")
    assert done.exit_code == 1
    assert "FAIL: " in done.stdout
    assert "Move it away to start with an empty store" in done.stdout
    assert "surface.tokens" in done.stdout
    assert "Repaired: " in done.stdout
    assert data.stat().st_mode & 0o777 == 0o700
    assert "2 failed" in done.stdout

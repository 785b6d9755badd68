"""Checks of Claude Code's settings files and of our own configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.capture import sessions
from cortex_core.doctor.case import Case, Check, Finding, failed, ok, together

MANAGED = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)
"""The settings of an organisation; they override all others."""

RETENTION = 30
"""Days that Claude Code keeps transcripts by default."""


class Settings(NamedTuple):
    """A parsed settings file of Claude Code and its parse error, if any."""

    path: Path
    value: Mapping[str, Any]
    problem: str = ""
    """Why it cannot be read; otherwise empty."""


def files(case: Case) -> list[Settings]:
    """The existing settings files of Claude Code, lowest precedence first."""
    user = sessions.root().parent
    paths = [user / "settings.json"]
    if case.project.root is not None:
        folder = Path(case.project.root, ".claude")
        paths += [folder / "settings.json", folder / "settings.local.json"]
    return [read_json(path) for path in dict.fromkeys((*paths, *MANAGED)) if path.is_file()]


def read_json(path: Path) -> Settings:
    """Read a JSON file of Claude Code; a parse error is in `problem`."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        return Settings(path, {}, str(error))
    if not isinstance(value, dict):
        return Settings(path, {}, "it contains no JSON object")
    return Settings(path, value)


def retention_days(case: Case) -> float:
    """How long Claude Code keeps transcripts, in days."""
    days: float = RETENTION
    for one in files(case):
        value = one.value.get("cleanupPeriodDays")
        if isinstance(value, int | float) and not isinstance(value, bool):
            days = value
    return days


def settings_files(case: Case) -> Finding:
    """Whether Claude Code can read its settings."""
    found = files(case)
    return together(
        (
            failed(
                f"Claude Code cannot read {one.path} and ignores it: {one.problem}.",
                "Correct the file. It must be plain JSON, without comments and trailing commas.",
            )
            for one in found
            if one.problem
        ),
        "The settings of Claude Code are readable.",
    )


def disabled(case: Case) -> Finding:
    """Whether Claude Code runs hooks at all."""
    return together(_disabled(case), "Claude Code runs hooks.")


def _disabled(case: Case) -> Iterator[Finding]:
    for one in files(case):
        if one.value.get("disableAllHooks") is True:
            yield failed(
                f"{one.path} sets disableAllHooks, so nothing is captured or injected.",
                "Remove that line.",
            )
        if one.path in MANAGED and one.value.get("allowManagedHooksOnly") is True:
            yield failed(
                f"{one.path} allows only managed hooks, so the hooks of Cortex do not run.",
                "Ask the administrator of this machine. Without hooks: cortex import transcripts",
            )


def configuration(case: Case) -> Finding:
    """Whether the settings of Cortex are valid."""
    if case.config_problem:
        return failed(
            f"{case.config_problem} Until this is fixed, the defaults apply.",
            "To find the file: cortex config path",
        )
    return ok("All settings are valid.")


CHECKS = (
    Check("configuration", "client", configuration),
    Check("settings-files", "client", settings_files),
    Check("hooks-enabled", "client", disabled),
)

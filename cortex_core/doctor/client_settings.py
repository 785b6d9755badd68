"""The client's settings files, and checks of what they and our own say."""

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
"""Where an organisation's settings lie; they win over all others."""

RETENTION = 30
"""Days that the client keeps transcripts where nothing else is set."""


class Settings(NamedTuple):
    """One settings file of the client."""

    path: Path
    value: Mapping[str, Any]
    problem: str = ""
    """Why it cannot be read; else empty."""


def files(case: Case) -> list[Settings]:
    """The client's settings files that there are, those that win last."""
    user = sessions.root().parent
    places = [user / "settings.json"]
    if case.project.root is not None:
        folder = Path(case.project.root, ".claude")
        places += [folder / "settings.json", folder / "settings.local.json"]
    return [read_json(path) for path in dict.fromkeys((*places, *MANAGED)) if path.is_file()]


def read_json(path: Path) -> Settings:
    """A JSON file of the client's; what is wrong with it is told beside."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        return Settings(path, {}, str(error))
    if not isinstance(value, dict):
        return Settings(path, {}, "it holds no object")
    return Settings(path, value)


def retention_days(case: Case) -> float:
    """How long the client keeps transcripts, in days."""
    days: float = RETENTION
    for one in files(case):
        told = one.value.get("cleanupPeriodDays")
        if isinstance(told, int | float) and not isinstance(told, bool):
            days = told
    return days


def settings_files(case: Case) -> Finding:
    """Whether the client can read its settings."""
    found = files(case)
    return together(
        (
            failed(
                f"Claude Code cannot read {one.path}, so what stands in it is not in force: "
                f"{one.problem}.",
                "Mend it: plain JSON, without comments and trailing commas.",
            )
            for one in found
            if one.problem
        ),
        "The client's settings can be read.",
    )


def disabled(case: Case) -> Finding:
    """Whether the client runs hooks at all."""
    return together(_disabled(case), "The client runs hooks.")


def _disabled(case: Case) -> Iterator[Finding]:
    for one in files(case):
        if one.value.get("disableAllHooks") is True:
            yield failed(
                f"{one.path} says disableAllHooks: nothing is captured or given.",
                "Take that line out.",
            )
        if one.path in MANAGED and one.value.get("allowManagedHooksOnly") is True:
            yield failed(
                f"{one.path} allows managed hooks only, so Cortex's do not run.",
                "Ask who manages this machine. By hand: cortex import transcripts",
            )


def configuration(case: Case) -> Finding:
    """Whether Cortex's own settings can be read."""
    if case.config_problem:
        return failed(
            f"{case.config_problem} The defaults are in force meanwhile.",
            "Where the files are: cortex config path",
        )
    return ok("Every setting can be read.")


CHECKS = (
    Check("configuration", "client", configuration),
    Check("settings-files", "client", settings_files),
    Check("hooks-enabled", "client", disabled),
)

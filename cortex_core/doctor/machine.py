"""Checks of the machine: Python, packages, SQLite, disk, environment variables."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import sys
from importlib import metadata
from pathlib import Path

from cortex_core.doctor.case import Case, Check, Finding, failed, ok, together, warning
from cortex_core.storage import health

OLDEST = (3, 11)
DISTRIBUTION = "cortex-memory"

FULL = 50 << 20
"""Free bytes below which storing may fail."""

TIGHT = 500 << 20

_NEED = re.compile(r"^([\w.-]+)(.*)$")


def python(_case: Case) -> Finding:
    """Whether this Python is new enough."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] < OLDEST:
        return failed(
            f"Python {version} at {sys.executable} is too old; Cortex needs 3.11.",
            "Install Cortex with a newer Python: pipx install --python python3.12 cortex-memory",
        )
    return ok(f"Python {version} at {sys.executable}.")


def packages(_case: Case) -> Finding:
    """Whether every required package is installed in a supported version."""
    try:
        needs = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return warning(
            "Cortex is not installed but runs from a folder, so hooks may not find it.",
            "Install it: pipx install cortex-memory",
        )
    wrong = [text for need in needs if "extra ==" not in need and (text := _problem(need))]
    if wrong:
        return failed(
            f"Required packages are missing or unsupported: {', '.join(wrong)}.",
            "Install Cortex again: pipx reinstall cortex-memory",
        )
    return ok(f"Cortex {metadata.version(DISTRIBUTION)} with all required packages.")


def _problem(need: str) -> str:
    match = _NEED.match(need.partition(";")[0].strip())
    name, bounds = (match[1], match[2]) if match else (need, "")
    try:
        have = metadata.version(name)
    except metadata.PackageNotFoundError:
        return f"{name} is missing"
    for sign, bound in re.findall(r"(>=|<|==)\s*([\d.]+)", bounds):
        if not _holds(_numbers(have), sign, _numbers(bound)):
            return f"{name} {have} is not {sign}{bound}"
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])


def _holds(have: tuple[int, ...], sign: str, bound: tuple[int, ...]) -> bool:
    padded = have + (0,) * (len(bound) - len(have))
    if sign == ">=":
        return padded >= bound
    return padded < bound if sign == "<" else padded[: len(bound)] == bound


def sqlite(_case: Case) -> Finding:
    """Whether this Python's SQLite supports what the stores need."""
    if reason := health.sqlite_fault():
        return failed(
            f"SQLite {sqlite3.sqlite_version} of {sys.executable} is not sufficient: {reason}.",
            "Install Cortex with a Python whose SQLite has FTS5 and JSON (python.org, uv, brew).",
        )
    return ok(f"SQLite {sqlite3.sqlite_version} with full-text search and JSON.")


def disk(case: Case) -> Finding:
    """Whether there is free space for the stores."""
    folders = dict.fromkeys(_existing(folder) for folder in (case.data, case.home))
    free = {folder: shutil.disk_usage(folder).free for folder in folders}
    return together(
        (
            failed(
                f"Only {room / 1e6:.0f} MB are free at {folder}, so nothing more can be stored.",
                "Free some space.",
            )
            if room < FULL
            else warning(f"Only {room / 1e6:.0f} MB are free at {folder}.", "Free some space.")
            for folder, room in free.items()
            if room < TIGHT
        ),
        f"{min(free.values()) / 1e9:.1f} GB are free.",
    )


def _existing(folder: Path) -> Path:
    """The nearest existing folder at or above `folder`."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def environment(_case: Case) -> Finding:
    """Whether an environment variable turns Cortex off or selects another project."""
    if os.environ.get("CORTEX_CHILD"):
        return failed(
            "CORTEX_CHILD is set in this shell, so the hooks of its sessions do nothing.",
            "Remove it from the start files of your shell, or run: unset CORTEX_CHILD",
        )
    named = os.environ.get("CORTEX_PROJECT", "")
    if named and not Path(named).expanduser().is_dir():
        return failed(
            f"CORTEX_PROJECT is {named}, which is not a folder.", "Run: unset CORTEX_PROJECT"
        )
    if named:
        return warning(
            f"CORTEX_PROJECT is set, so the project is always {named}.",
            "If you do not want that, run: unset CORTEX_PROJECT",
        )
    return ok("No environment variable interferes.")


CHECKS = (
    Check("python", "machine", python),
    Check("packages", "machine", packages),
    Check("sqlite", "machine", sqlite),
    Check("disk", "machine", disk),
    Check("environment", "machine", environment),
)

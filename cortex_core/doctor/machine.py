"""Checks of the machine: Python, packages, SQLite, disk, what the shell has set."""

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
"""Free bytes under which storing is about to fail."""

TIGHT = 500 << 20

_NEED = re.compile(r"^([\w.-]+)(.*)$")


def python(_case: Case) -> Finding:
    """Whether this Python is new enough."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] < OLDEST:
        return failed(
            f"Python {version} at {sys.executable} is too old; Cortex needs 3.11.",
            "Install Cortex with a newer one: pipx install --python python3.12 cortex-memory",
        )
    return ok(f"Python {version} at {sys.executable}.")


def packages(_case: Case) -> Finding:
    """Whether every package that Cortex needs is there, in a version it can use."""
    try:
        needs = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return warning(
            "Cortex runs from a folder and is not installed, so its hooks may not find it.",
            "Install it: pipx install cortex-memory",
        )
    wrong = [told for need in needs if "extra ==" not in need and (told := _problem(need))]
    if wrong:
        return failed(
            f"Packages that Cortex needs are off: {', '.join(wrong)}.",
            "Install Cortex again: pipx reinstall cortex-memory",
        )
    return ok(f"Cortex {metadata.version(DISTRIBUTION)} with all it needs.")


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
    """Whether this Python's SQLite has what the stores are made of."""
    if reason := health.sqlite_fault():
        return failed(
            f"SQLite {sqlite3.sqlite_version} of {sys.executable} cannot hold a store: {reason}.",
            "Install Cortex with a Python whose SQLite has FTS5 and JSON (python.org, uv, brew).",
        )
    return ok(f"SQLite {sqlite3.sqlite_version} with full-text search and JSON.")


def disk(case: Case) -> Finding:
    """Whether there is room where the stores lie."""
    places = dict.fromkeys(_standing(folder) for folder in (case.data, case.home))
    free = {place: shutil.disk_usage(place).free for place in places}
    return together(
        (
            failed(
                f"Only {room / 1e6:.0f} MB are free at {place}: nothing more can be stored.",
                "Free some space.",
            )
            if room < FULL
            else warning(f"Only {room / 1e6:.0f} MB are free at {place}.", "Free some space.")
            for place, room in free.items()
            if room < TIGHT
        ),
        f"{min(free.values()) / 1e9:.1f} GB are free.",
    )


def _standing(folder: Path) -> Path:
    """The nearest folder above that exists."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def environment(_case: Case) -> Finding:
    """Whether the shell has set something that turns Cortex off or aims it elsewhere."""
    if os.environ.get("CORTEX_CHILD"):
        return failed(
            "CORTEX_CHILD is set in this shell, so hooks of sessions started from it do nothing.",
            "Take it out of your shell's start files, or: unset CORTEX_CHILD",
        )
    named = os.environ.get("CORTEX_PROJECT", "")
    if named and not Path(named).expanduser().is_dir():
        return failed(f"CORTEX_PROJECT names {named}, which is no folder.", "unset CORTEX_PROJECT")
    if named:
        return warning(
            f"CORTEX_PROJECT is set: wherever you are, the project is {named}.",
            "If that is not meant: unset CORTEX_PROJECT",
        )
    return ok("No variable stands in the way.")


CHECKS = (
    Check("python", "machine", python),
    Check("packages", "machine", packages),
    Check("sqlite", "machine", sqlite),
    Check("disk", "machine", disk),
    Check("environment", "machine", environment),
)

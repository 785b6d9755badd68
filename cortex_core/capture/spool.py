"""The spool as the worker sees it: records that hooks left, oldest first.

Hooks write them, each an atomic file, so that nothing is lost while a store is locked, migrating or
broken.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.project import Project

BROKEN = ".broken"


class Record(NamedTuple):
    """One hook firing."""

    path: Path
    event: str
    session: str
    transcript: str
    time: float
    last_hash: str
    """Of the last message, by which the worker knows that the transcript has caught up."""
    fields: Mapping[str, Any]


def folder(project: Project) -> Path:
    """Where the records lie."""
    return Path(project.data, "spool")


def waiting(project: Project) -> int:
    """How many records wait."""
    return len(_files(project))


def records(project: Project) -> list[Record]:
    """The waiting records, oldest first; one that cannot be read is set aside."""
    found = []
    for path in _files(project):
        try:
            fields = json.loads(path.read_bytes())
            found.append(
                Record(
                    path, str(fields["event"]), str(fields.get("session") or ""),
                    str(fields.get("transcript") or ""), float(fields.get("time") or 0),
                    str(fields.get("last_hash") or ""), fields,
                )
            )  # fmt: skip
        except FileNotFoundError:
            continue
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            path.rename(path.with_suffix(BROKEN))
    return found


def done(record: Record) -> None:
    """Remove a record whose work is stored."""
    record.path.unlink(missing_ok=True)


def _files(project: Project) -> list[Path]:
    return sorted(folder(project).glob("[0-9]*.json"))

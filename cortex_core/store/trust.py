"""Whether a project's store is this user's own: only such a store is given to Claude.

A store that came with a clone could hold anything. The user's Cortex notes on the global side, out
of reach of a repository, which store it created where; the note binds the place to the store's own
random identity, so that neither a copied folder nor an exchanged file passes.
"""

from __future__ import annotations

import os

from cortex_core.base import hook_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cortex_core.base.project import Project

FOLDER = "trust"


def trusted(project: Project, identity: str) -> bool:
    """Whether the project's store, which calls itself `identity`, may be given unasked."""
    return bool(identity) and granted(project) == identity


def granted(project: Project) -> str:
    """The identity of the store that is trusted at this place, empty when none is."""
    note = note_path(project)
    return hook_io.read(note).partition("\n")[0] if note else ""


def grant(project: Project, identity: str) -> None:
    """Trust the store that calls itself `identity` at this project's place.

    Raises:
        OSError: the note cannot be written.
    """
    from cortex_core.redaction.stored_names import (
        clean,  # granting is rare, asking is what hooks do
    )

    note = note_path(project)
    if note is None:
        return
    for folder in (project.home, os.path.dirname(note)):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    hook_io.replace(note, f"{identity}\n{clean(project.root or '')}\n")


def revoke(project: Project) -> None:
    """Trust no store at this project's place."""
    note = note_path(project)
    if note and os.path.exists(note):
        os.unlink(note)


def roots(home: str) -> list[str]:
    """The folders of the projects whose stores were trusted, those gone meanwhile included.

    One whose path holds a secret is noted without it, so it cannot be found by this list.
    """
    folder = os.path.join(home, FOLDER)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = (hook_io.read(os.path.join(folder, name)).split("\n") for name in names)
    return list(dict.fromkeys(lines[1] for lines in found if len(lines) > 1 and lines[1]))


def note_path(project: Project) -> str | None:
    """Where the trust in this project's store is noted; None where there can be no such store."""
    if project.project_db is None:
        return None
    real = os.path.realpath(project.project_db)
    if not real.startswith(os.path.join(os.path.realpath(project.data), "")):
        return None
    return os.path.join(project.home, FOLDER, hook_io.sha256(real)[:32])

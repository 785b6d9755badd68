"""What an installation has done to this machine, kept on the global side until it is undone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from cortex_core import lean
from cortex_core.claude.settings_file import Traces

InstallScope = Literal["user", "project", "local"]
"""As the client calls them: everywhere, a project's shared settings, a project's private ones."""

INSTALL_SCOPES: tuple[InstallScope, ...] = ("user", "project", "local")
FOLDER = "installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """One settings file that Cortex has put its hooks into, and what went with it."""

    settings: str
    """The file's path, absolute."""
    scope: InstallScope
    traces: Traces
    made: tuple[str, ...] = ()
    """The file and its folder, those of them that were not there before."""
    backups: tuple[str, ...] = ()
    """Copies of the file as it was before each change, the oldest first."""
    skills: Mapping[str, str] = field(default_factory=dict)
    """Skill files that were copied, and their SHA-256."""


def save(home: str, done: Installation) -> None:
    """Keep `done`, in place of what was known of the same file.

    Raises:
        OSError: it cannot be written.
    """
    path = _path(home, done.settings)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lean.replace(str(path), json.dumps(asdict(done), indent=2) + "\n")


def load(home: str, settings: str) -> Installation | None:
    """What was done to the file `settings`; None where nothing is known."""
    return _read(_path(home, settings))


def forget(home: str, settings: str) -> None:
    """Drop what is known of the file `settings`."""
    path = _path(home, settings)
    path.unlink(missing_ok=True)
    if path.parent.is_dir() and not any(path.parent.iterdir()):
        path.parent.rmdir()


def known(home: str) -> Iterator[Installation]:
    """Every installation of this user."""
    for path in sorted(Path(home, FOLDER).glob("*.json")):
        if found := _read(path):
            yield found


def _path(home: str, settings: str) -> Path:
    name = sha256(settings.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return Path(home, FOLDER, f"{name}.json")


def _read(path: Path) -> Installation | None:
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        traces = fields.pop("traces")
        spans = tuple((int(start), int(length)) for start, length in traces["spans"])
        fields |= {name: tuple(fields[name]) for name in ("made", "backups")}
        return Installation(traces=Traces(traces["hash"], spans, traces["kept"]), **fields)
    except (OSError, ValueError, KeyError, TypeError):
        return None

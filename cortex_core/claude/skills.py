"""Skills as files of the user's own: copied out of the plugin, so that they run without it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import cortex_core
from cortex_core import lean
from cortex_core.capture import sessions
from cortex_core.errors import CortexError

LAUNCHER = '"${CLAUDE_PLUGIN_ROOT}/bin/cortex"'
"""How the plugin's skills call the command line."""


def source() -> Path:
    """The folder with the plugin's skills: in the installed package, or in the checkout.

    Raises:
        CortexError: there is none; the installation is incomplete.
    """
    package = Path(cortex_core.__file__).parent
    for folder in (package / "skills", package.parent / "skills"):
        if (folder / "recall" / "SKILL.md").is_file():
            return folder
    raise CortexError(
        f"The skills of {package} are missing. No skill was copied. Install Cortex again."
    )


def copy(python: Sequence[str], known: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Copy every skill to the user's folder of skills, calling `python` in place of the plugin.

    Args:
        known: what was copied before, path and SHA-256; such a file is replaced unless edited.

    Returns:
        What is there now of ours, as `known`; and the files that were left alone, being others'.

    Raises:
        CortexError: a file cannot be written.
    """
    ours, others = dict(known), []
    for file in sorted(source().glob("*/SKILL.md")):
        text = _for_user(file.read_text(encoding="utf-8"), python)
        target = sessions.root().parent.absolute() / "skills" / file.parent.name / file.name
        there = _hash(target)
        if there not in (None, known.get(str(target)), _digest(text)):
            others.append(str(target))
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            lean.replace(str(target), text, 0o644)
        except OSError as error:
            raise CortexError(
                f"{target} cannot be written: {error.strerror}. The skill was not copied."
            ) from error
        ours[str(target)] = _digest(text)
    return ours, others


def remove(copied: Mapping[str, str]) -> list[str]:
    """Remove copied skills and the folders they leave empty; those edited since, which stay."""
    edited = []
    for name, digest in copied.items():
        path = Path(name)
        if _hash(path) not in (None, digest):
            edited.append(name)
            continue
        path.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()
            path.parent.parent.rmdir()
    return edited


def _for_user(text: str, python: Sequence[str]) -> str:
    return text.replace(LAUNCHER, shlex.join([*python, "-m", "cortex_core.cli"]))


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()


def _hash(path: Path) -> str | None:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None

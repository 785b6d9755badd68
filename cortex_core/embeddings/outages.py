"""Which embedding models could not be used lately, so that not every search waits for them again.

Kept on the global side, for every process; a lost or damaged file only means that one is asked.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from cortex_core.base import hook_io
from cortex_core.base.errors import WORDS_ONLY

RETRY = 120.0
"""Seconds until a model that failed is asked again."""

_FILE = ("cache", "model-outages.json")


def reason(home: str, name: str, now: float) -> str:
    """Why the model called `name` is left out at this moment; empty if it may be asked."""
    since, why = _read(home).get(name, (0.0, ""))
    return why if 0 <= now - since < RETRY else ""


def note(home: str, name: str, problem: Exception, now: float) -> None:
    """Leave a model out for a while."""
    why = str(problem).partition(WORDS_ONLY)[0].strip().rstrip(".")
    _write(home, {**_read(home), name: (now, why[:300])})


def forget(home: str, name: str) -> None:
    """Ask a model again at once."""
    known = _read(home)
    if name in known:
        _write(home, {other: known[other] for other in known if other != name})


def _read(home: str) -> dict[str, tuple[float, str]]:
    with suppress(OSError, ValueError, TypeError, AttributeError):
        found = json.loads(Path(home, *_FILE).read_text(encoding="utf-8"))
        return {str(name): (float(since), str(why)) for name, (since, why) in found.items()}
    return {}


def _write(home: str, known: Mapping[str, tuple[float, str]]) -> None:
    path = Path(home, *_FILE)
    with suppress(OSError):
        hook_io.private_folder(str(path.parent))
        hook_io.replace(str(path), json.dumps(known))

"""Which descriptions of code are out of date, because their file has changed since."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

from cortex_core.base.kinds import CODE, CODE_DESCRIPTION
from cortex_core.records.memory import Memory


def staleness(memory: Memory, root: str | None) -> Literal["", "changed", "gone"]:
    """What has become of the file that `memory` describes or holds; empty when it is as it was.

    A file whose size and time of change are the known ones is not read.
    """
    if memory.kind not in (CODE_DESCRIPTION, CODE):
        return ""
    path = memory.details.get("path")
    if not isinstance(path, str):
        return ""
    file = Path(root or "/", path)
    try:
        state = file.stat()
        recorded = (memory.details.get("size"), memory.details.get("mtime"))
        if recorded == (state.st_size, state.st_mtime_ns):
            return ""
        from hashlib import sha256

        same = sha256(file.read_bytes()).hexdigest() == memory.details.get("sha256")
    except FileNotFoundError:
        return "gone"
    except OSError:
        return ""
    return "" if same else "changed"


def flagged(memory: Memory, root: str | None) -> Memory:
    """The memory, with `stale` among its details where its file has changed."""
    stale = staleness(memory, root)
    return replace(memory, details={**memory.details, "stale": stale}) if stale else memory

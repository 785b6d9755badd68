"""Which guards of tool calls do not act, found by trying them on a call that they must stop."""

import time
from collections.abc import Iterable, Mapping, Sequence
from sqlite3 import Row
from typing import Any

from cortex_core.base import hook_io
from cortex_core.base.config import Config
from cortex_core.base.project import Project
from cortex_core.base.tools import EDIT, READ, SHELL, WRITE
from cortex_core.store import guarded, surface_reader
from cortex_core.store.surface_reader import SurfaceReader
from cortex_core.triggers import calls, guard, matching, syntax
from cortex_core.triggers.forms import CHANGE, COMMAND, PUSH, READING, STAGED, TEXT

AGAIN = "Set it again: cortex trigger guard {} {}"


def look(
    project: Project,
    config: Config,
    stores: Iterable[SurfaceReader],
    rules: Sequence[list[Any]] | None = None,
) -> tuple[int, list[str]]:
    """How many memories guard, or did, and a sentence for each whose guard is off, or was changed
    by something else than Cortex.

    Args:
        stores: they are closed.
        rules: the table that hooks look rules up in; None reads it from the stores.
    """
    rows, listed = [], list(rules or ())
    for store in stores:
        with store:
            rows += [] if store.scope == "team" else guarded.states(store)
            if rows and rules is None:
                listed += (
                    [one.id, "", *action]
                    for one, actions in store.rules()
                    for action in actions.items()
                )
    # One sentence for all of them: the user has one thing to do.
    if rows and not config.get("triggers.on"):
        return len(rows), ["All guards are off: triggers.on is false. See: cortex trigger on --all"]
    found = []
    for row in rows:
        if why := _changed(row) or _is_off(project, row, listed):
            name = f"“{row['title']}” ({row['id'][:8]})" if row["title"] else row["id"][:8]
            found.append(f"The guard of {name} {why}")
    return len(rows), found


def _changed(row: Row) -> str:
    """What was done to a guard past the journal; empty for nothing."""
    again = AGAIN.format(row["id"][:8], row["left_guard"])
    if row["guard"] is None:
        return "" if row["is_pruned"] else "was removed, not by Cortex. See: cortex doctor"
    for column in ("guard", "triggers", "status"):
        if row[f"left_{column}"] not in (None, row[column]):
            return f"was changed, not by Cortex: its {column} is not what Cortex wrote. {again}"
    return ""


def _is_off(project: Project, row: Row, rules: Sequence[list[Any]]) -> str:
    """Why a guard stops no call; empty where it does, or where no call for it can be made up."""
    if row["guard"] not in guard.DECISIONS or row["status"] != "active":
        return ""
    by_agents = surface_reader.named(row)
    stated = [str(line) for line in hook_io.loads(row["triggers"]) if line not in by_agents]
    if not stated:
        return f"is off: it has no trigger. To find them: cortex trigger on {row['id'][:8]}"
    # A stricter rule may stop the call first.
    enough = guard.DECISIONS[: guard.DECISIONS.index(row["guard"]) + 1]
    for tool, given in filter(None, map(example, filter(None, map(syntax.parsed, stated)))):
        if guard.answer(project, rules, tool, given, time.time(), dict)[2] not in enough:
            return "is off: it did not stop a call that it must stop. See: cortex trigger list"
    return ""


def example(trigger: syntax.Trigger) -> tuple[str, Mapping[str, str]] | None:
    """The tool and the arguments of a call that a trigger means; None where none is made up."""
    words = trigger.pattern.replace(":*", "").replace("**/", "").replace("**", "x")
    words = words.replace("*", "x").replace("?", "x").removesuffix(" $")
    words = " ".join(word.partition("|")[0].lstrip("@") for word in words.split())
    tool, given = {
        COMMAND: (SHELL, {"command": words}),
        CHANGE: (EDIT, {"file_path": words}),
        READING: (READ, {"file_path": words}),
        PUSH: (SHELL, {"command": f"git push origin {words}"}),
        STAGED: (SHELL, {"command": f"git add {words}"}),
        TEXT: (WRITE, {"file_path": "x", "content": trigger.pattern}),
    }.get(trigger.tool, (trigger.tool.replace("*", "x"), {}))
    return (tool, given) if matching.matches(trigger, calls.read(tool, given)) else None

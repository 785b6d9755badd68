"""Runs Claude Code's hooks apart from the user's sessions: what is sent, where, what comes back."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cortex_core.agents.claude import places, samples
from cortex_core.agents.claude.checks import (
    planned_route as planned_route,
    route as route,
    routes as routes,
)
from cortex_core.base import hook_words

FORM = "answered in a form that Claude Code does not read"


def settings_folder(home: Path) -> Path:
    """The folder of Claude Code's settings in a home folder."""
    return home / ".claude"


def transcript(settings: Path, project: Path, session: str) -> Path:
    """Where the transcript of a session is that ran in `project`."""
    return Path(
        places.sessions_folder(str(settings)), places.slug(str(project)), f"{session}.jsonl"
    )


def made_up_session(settings: Path, project: Path) -> Path:
    """Write the transcript of a session that nobody had: a developer and the agent work in
    `project`; its name is the session's id."""
    lines = samples.made_up(project)
    path = transcript(settings, project, json.loads(lines.partition("\n")[0])["sessionId"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lines, "utf-8")
    return path


def environment(settings: Path, home: Path) -> dict[str, str]:
    """The environment of a hook, without what belongs to the session that this process is in.

    Args:
        home: the global side.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CLAUDE", "CORTEX", "ANTHROPIC"))
    }
    return {**kept, "CLAUDE_CONFIG_DIR": str(settings), "CORTEX_HOME": str(home)}


def payload(
    event: str, session: str, transcript: Path, folder: Path, **fields: Any
) -> dict[str, Any]:
    """What a hook is sent; `fields` are those of the event."""
    return {
        "session_id": session,
        "transcript_path": str(transcript),
        "cwd": str(folder),
        "hook_event_name": event,
        **fields,
    }


def example(event: str, prompt: str, file: Path) -> Mapping[str, Any]:
    """The fields of one event; the prompt and the file are what memories may fit."""
    fields: dict[str, Mapping[str, Any]] = {
        hook_words.START: {"source": "startup"},
        hook_words.PROMPT: {"prompt": prompt},
        hook_words.TOOL: {
            "tool_name": "Read",
            "tool_use_id": "t1",
            "tool_input": {"file_path": str(file)},
        },
        hook_words.STOP: {"stop_hook_active": False, "last_assistant_message": "Done."},
        hook_words.SUBAGENT_START: {"agent_id": "a1", "agent_type": "general"},
        hook_words.SUBAGENT_STOP: {
            "agent_id": "a1",
            "agent_type": "general",
            "stop_hook_active": False,
        },
        hook_words.COMPACTION: {"trigger": "manual", "custom_instructions": None},
        hook_words.END: {"reason": "other"},
    }
    return fields[event]


def text_of(event: str, printed: str) -> str | None:
    """The text that an answer gives Claude Code; None if it cannot be read."""
    try:
        inner = json.loads(printed)["hookSpecificOutput"]
        text = inner["additionalContext"]
    except (ValueError, TypeError, KeyError):
        return None
    return text if inner.get("hookEventName") == event and isinstance(text, str) else None

"""What the hooks of an agent answer where the agent says nothing; its `hooks` take over the names.

Hooks load this module: it imports little.
"""

from __future__ import annotations

import sys

from cortex_core.base import hook_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex_core.base.project import Project


def entry() -> str:
    """What runs this process: which interpreter of an installed hook."""
    return f"installed {sys.executable}"


def answered(answer: Mapping[str, Any]) -> bytes:
    """The fields of an answer that say something, as one JSON object; nothing without any."""
    said = {name: value for name, value in answer.items() if value}
    return hook_io.dumps(said).encode() if said else b""


def launched_in(environment: Mapping[str, str]) -> str:
    """Nothing: a hook names the folder of its session."""
    return ""


def is_attended(environment: Mapping[str, str]) -> bool:
    """Yes: an agent that does not say is taken to have a user."""
    return True


def tool_call(meta: Mapping[str, Any]) -> str:
    """Nothing: a request to our MCP server does not name the call."""
    return ""


def is_worth_asking(transcript: str) -> bool:
    """No: only an agent that can be asked to go on after its answer is asked to learn."""
    return False


def memory_file(project: Project, environment: Mapping[str, str]) -> str:
    """Nothing: the agent injects no memory of its own."""
    return ""

"""The coding agents by name: in settings, in the keys of sessions, and as users call them.

A copy of a session that is not where its agent keeps its own is filed under `codex:/path`.
"""

from os import PathLike

SERVER_MODULE = "cortex_core.mcp_server"
"""What starts our MCP server in the settings of an agent."""

LABELS = {
    "claude": "Claude Code",
    "codex": "Codex",
    "copilot": "Copilot CLI",
    "opencode": "OpenCode",
    "gemini": "Gemini CLI",
}


def of_key(key: str) -> str:
    """The agent whose session has this key (`codex:THREAD`): Claude Code for a path, which is its
    key; empty without a key."""
    name, colon, _ = key.partition(":")
    return name if colon and name in LABELS else "claude" if key else ""


def copied(key: str | PathLike[str]) -> str:
    """A key without its agent's name, where it is that of a copy (`codex:/path`); else as it is."""
    name, _, path = str(key).partition(":")
    is_path = path.startswith(("/", "\\")) or path[1:2] == ":"
    return path if name in LABELS and is_path else str(key)


def starts_us(*words: object) -> bool:
    """Whether the command of an MCP server in an agent's settings starts Cortex."""
    return SERVER_MODULE in words or words[1:] == ("mcp",)


def shown(agent: str) -> str:
    """An agent as users call it; empty for Claude Code, whose sessions most are."""
    return LABELS[agent] if agent not in ("", "claude") else ""


def condition(column: str, agent: str) -> str:
    """SQL that says whether the key in `column` is of a session of this agent."""
    if agent == "claude":
        others = [f"{column} NOT GLOB '{name}:*'" for name in LABELS]
        return " AND ".join([f"{column} <> ''", *others])
    return f"{column} GLOB '{agent}:*'"

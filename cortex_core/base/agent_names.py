"""The coding agents by name: in settings, in the keys of sessions, and as users call them.

Hooks load this module: it imports nothing.
"""

LABELS = {
    "claude": "Claude Code",
    "codex": "Codex",
    "copilot": "Copilot CLI",
    "opencode": "OpenCode",
    "gemini": "Gemini CLI",
}


def of_key(key: str) -> str:
    """The agent whose session has this key (`codex:THREAD`); Claude Code for a path, its key."""
    name, colon, _ = key.partition(":")
    return name if colon and name in LABELS else "claude"

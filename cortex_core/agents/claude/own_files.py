"""The files that Claude Code gives its agent by itself: CLAUDE.md, rules, and its own memory."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cortex_core.agents.claude import places
from cortex_core.agents.protocol import RuleFile
from cortex_core.base import project as projects
from cortex_core.base.project import Project
from cortex_core.language.patterns import Pattern

RULES_FILE = "CLAUDE.md"

MEMORY_FILE = "MEMORY.md"

SHOWN: Sequence[str] = (RULES_FILE, "CLAUDE.local.md", "AGENTS.md", f".claude/{RULES_FILE}")
"""Files of the project that Claude Code shows the agent by itself."""

KINDS: Mapping[str, str] = {
    "user": "preference",
    "feedback": "preference",
    "project": "fact",
    "reference": "fact",
}
"""The kind of a memory, by the type that Claude Code gives it."""

DEEPEST = 5
"""Levels of imports in CLAUDE.md that are followed, as many as in Claude Code."""

_CODE = Pattern(
    "code, in a block or in a line",
    r"(?s:```.*?(?:```|\Z))|`[^`\n]*`",
    finds="run `ls`",
    spares="run ls",
    flags=0,
)
_IMPORT = Pattern(
    "file that is imported",
    r"(?:^|\s)@((?:~/|\.{0,2}/)?[\w./-]+\.md)\b",
    finds="see @docs/rules.md",
    spares="mail bob@example.test",
    flags=0,
)


def memory_folder(project: Project) -> Path:
    """The folder in which Claude Code keeps its memory of a project."""
    return Path(places.memory_folder(project.root or project.cwd))


def text_after(call: Mapping[str, Any], outcome: Mapping[str, Any], before: object) -> str | None:
    """The text of a file after a call that wrote or edited it; None where it cannot be known.

    Args:
        call: the arguments of the tool.
        outcome: what Claude Code recorded of it: for an edit, the whole file before, mostly.
        before: the text as earlier calls of the session left it; None where none is known.
    """
    whole = outcome.get("content") or call.get("content")
    if isinstance(whole, str):
        return whole
    recorded = outcome.get("originalFile") or outcome.get("originalFileContents")
    words = recorded if isinstance(recorded, str) else before
    edits = call.get("edits")
    for edit in edits if isinstance(edits, list) else [call]:
        old, new = edit.get("old_string"), edit.get("new_string")
        if not (isinstance(words, str) and isinstance(old, str) and isinstance(new, str)):
            return None
        words = words.replace(old, new, -1 if edit.get("replace_all") else 1)
    return words if isinstance(words, str) else None


def rules(project: Project) -> list[RuleFile]:
    """The files with rules that Claude Code reads in a project, the project's own first."""
    files = []
    if project.root:
        root = Path(project.root)
        listed = [root / RULES_FILE, root / ".claude" / RULES_FILE, root / "CLAUDE.local.md"]
        listed += sorted((root / ".claude" / "rules").rglob("*.md"))
        files = [RuleFile(path, path.relative_to(root).as_posix(), False) for path in listed]
    config = Path(projects.user_folder())
    own = [config / RULES_FILE, *sorted((config / "rules").rglob("*.md"))]
    files += [RuleFile(path, f"~/{config.name}/{path.relative_to(config)}", True) for path in own]
    return [file for file in files if file.path.is_file()]


def imports(words: str) -> list[str]:
    """The files that a text imports; like Claude Code, without those in code blocks."""
    return list(dict.fromkeys(_IMPORT.regex.findall(_CODE.regex.sub("", words))))

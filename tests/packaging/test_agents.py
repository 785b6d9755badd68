"""What one coding agent calls its things is written in its own room, `cortex_core/agents/NAME`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from cortex_core import agents
from cortex_core.agents import AGENTS, protocol
from cortex_core.agents.claude import (
    checks,
    headless,
    hooks,
    installer,
    own_files,
    reader,
    sessions,
    trial,
)
from cortex_core.agents.codex import headless as codex_headless
from cortex_core.agents.transcripts import reader_of
from cortex_core.base import agent_names

ROOT = Path(__file__).parents[2]

NAMES = re.compile(
    r"AskUserQuestion|ExitPlanMode|TodoWrite|TaskCreate|TaskUpdate|NotebookEdit|MultiEdit"
    r"|\.claude(?:/|$)|CLAUDE_[A-Z]\w+|CLAUDE\.md|isSidechain|toolUseResult|isMeta|promptSource"
    r"|compact_boundary|hookSpecificOutput|^(?:Bash|Edit|Write|Read|WebFetch|Skill)$"
    r"|\b(?:SessionStart|UserPromptSubmit|P(?:re|ost)ToolUse|Subagent(?:Start|Stop)|PreCompact|SessionEnd)\b"
    r"|\[Request interrupted|doesn't want to proceed|being continued from a previous"
)
"""Tools, records, folders, variables, events and marker sentences of Claude Code."""

MAY_NAME = re.compile(NAMES.pattern.replace("^", "").replace("$", ""))
"""What a module has to hold to be parsed for these."""

SPARED = {
    "cortex_core/base/hook_words.py": "the words under which events are stored",
    "cortex_core/base/project.py": "where Cortex's own files are",
    "cortex_core/llm/prompts.py": "what a model is told of the rules that Claude Code reads",
    "cortex_core/triggers/forms.py": "the words of Cortex's own language of triggers",
    "cortex_tui/screens/editing.py": "the title of a dialog: Edit",
}


def texts(tree: ast.Module) -> Iterator[str]:
    """The strings of a module, without those that stand alone, such as docstrings."""
    alone = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for one in ast.walk(tree):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in alone:
            yield one.value


def test_only_its_own_room_knows_what_an_agent_calls_its_things() -> None:
    named = {}
    for path in (*ROOT.glob("cortex_core/**/*.py"), *ROOT.glob("cortex_tui/**/*.py")):
        name = path.relative_to(ROOT).as_posix()
        source = path.read_text("utf-8")
        if name.startswith("cortex_core/agents/") or not MAY_NAME.search(source):
            continue
        found = {match[0] for text in texts(ast.parse(source)) if (match := NAMES.search(text))}
        if found:
            named[name] = found
    assert named.keys() == SPARED.keys(), named


def test_the_modules_of_an_agent_answer_what_cortex_asks(tmp_path: Path) -> None:
    # The type checker compares each function.
    _hooks: protocol.Hooks = hooks
    _reader: protocol.Transcripts = reader
    _sessions: protocol.AgentSessions = sessions
    _installer: protocol.Installer = installer
    _checks: protocol.Checks = checks
    _files: protocol.AgentFiles = own_files
    _model: protocol.Headless = headless
    _other_model: protocol.Headless = codex_headless
    _trial: protocol.HookTrial = trial
    claude = agents.of("claude")
    parts = vars(agents.Agent)["__annotations__"]
    assert all(getattr(claude, name).__name__.endswith(f".claude.{name}") for name in parts)
    folder = ROOT / "cortex_core" / "agents"
    assert {file.parent.name for file in folder.glob("*/__init__.py")} == set(AGENTS)
    for name, listed in AGENTS.items():
        assert set(listed) <= {part for part in parts if (folder / name / f"{part}.py").is_file()}
        assert name in agent_names.LABELS
    assert reader_of(tmp_path / "any.jsonl") is reader

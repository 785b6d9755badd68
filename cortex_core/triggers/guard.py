"""Rules that are recalled at the moment of acting: those whose triggers match a tool call.

The rule's own sentence is injected with the call. A user can have Claude Code ask before such a
call, or refuse it. Nothing here may keep a call from running otherwise.
"""

from __future__ import annotations

from cortex_core.base.tools import SHELLS
from cortex_core.triggers.forms import CHANGE, COMMAND, PUSH, STAGED, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from cortex_core.base.project import Project

    Answer = tuple[list[str], list[str], str, str]

MOST_LINES = 2
"""Rules that are recalled with one call."""

PAUSE = 600.0
"""Seconds within which a session is reminded of an occasion once. A call that breaks a rule is a
reminder each time."""

EVENT = "Trigger"
"""What the notes of a session call such an injection."""

HEADER = "Cortex: rules for this very call, from the user's memory."

TEAM_HEADER = (
    "Cortex: rules for this very call; those with “(team” are what members of the user's team "
    "approved, the others are from the user's memory."
)
"""The header where one of the rules is the team's."""

NOTHING: Answer = ([], [], "", "")
"""The answer to a call that no rule is about."""

DECISIONS = ("deny", "ask")
"""The guards that Claude Code decides by, the stricter one first."""

_OWN = """cortex trigger off; cortex trigger guard; cortex trigger set; cortex pause; cortex trust;
cortex untrust; cortex uninstall; cortex config set triggers.on; cortex config set redact.extra;
cortex config set capture.ignore"""
"""The commands by which an agent could take away what protects the user."""

_ABOUT_OWN = (
    "Cortex: this changes Cortex's own files, or what protects you. Agree only if you want it."
)


def answer(
    project: Project,
    rules: Iterable[list[Any]],
    tool: str,
    tool_input: Mapping[str, Any],
    now: float,
    lately: Callable[[], Mapping[str, float]],
) -> Answer:
    """What to inject with a tool call, and whether it may run.

    Args:
        rules: `[id, line, guard, triggers]` of each, the important first.
        lately: when each rule was last injected into this context, by id.

    Returns:
        The lines of rules to inject below a header, and their ids; `ask` or `deny`, or nothing
        for a call that just runs; why it is asked about or denied.
    """
    # Most calls are about no rule: the first look loads nothing.
    words = _bare(tool, tool_input)
    looks = ((one, [line for line in one[3] if _may_match(line, tool, words)]) for one in rules)
    possible = [(rule, lines) for rule, lines in looks if lines]
    # What may change Cortex's own things names a command of its own, or a folder.
    top = "/".join(project.home.replace("\\", "/").split("/")[-2:]).lower()
    own = _own_triggers(project) if any(one in words for one in ("cortex", ".memory", top)) else []
    if not (possible or own):
        return NOTHING
    return _matching(project, possible, own, tool, tool_input, now, lately)


def _own_triggers(project: Project) -> list[str]:
    """What an agent may do only after the user agreed, whatever any setting or store says."""
    from cortex_core.base.project import user_home

    home, user = project.home.replace("\\", "/"), user_home().replace("\\", "/")
    named = f"~{home[len(user) :]}" if home.startswith(f"{user}/") else home
    folders = (".memory", "**/.memory", "~/**/.memory", "/**/.memory", named)
    return [
        *(f"!{COMMAND}({' '.join(words.split())})" for words in _OWN.split(";")),
        *(f"!{CHANGE}({folder}{end})" for folder in folders for end in ("", "/**")),
    ]


def _may_match(line: str, tool: str, words: str) -> bool:
    kind, bracket, rest = line.lstrip("!").partition("(")
    if not bracket:
        return tool.startswith("mcp__")
    if kind == COMMAND:
        return tool in SHELLS and (
            "\0" in words
            or any(one in words for one in rest.split(" ")[0].rstrip(":*)").lower().split("|"))
        )
    if kind in (PUSH, STAGED):
        return tool in SHELLS and "git" in words
    if kind == TEXT:
        return any(one.split(" ")[0].rstrip(")").lower() in words for one in rest.split("|"))
    return not tool.startswith("mcp__")


def _bare(tool: str, tool_input: Mapping[str, Any]) -> str:
    """The texts of a call in lower case, without the quotes that a shell takes out;
    a NUL at the end where it may name a program otherwise."""
    texts = [value for value in tool_input.values() if isinstance(value, str)]
    if len(texts) < len(tool_input):
        from cortex_core.base import hook_io

        texts.append(hook_io.dumps(dict(tool_input)))
    joined = "\n".join(texts).lower()
    if tool in SHELLS:
        # Of `$'\\x72m'`, `/bin/r?`, `r[m]` and `$a$b` a shell makes any program.
        joined += "\0" * any(
            "$'" in word or word.count("$") > 1 or "?" in word or "[" in word.lstrip("[")
            for word in joined.split()
        )
        for mark in ("'", '"', "\\\n", "\\"):
            joined = joined.replace(mark, "")
    return joined


def _matching(
    project: Project,
    possible: list[tuple[list[Any], list[str]]],
    own: list[str],
    tool: str,
    tool_input: Mapping[str, Any],
    now: float,
    lately: Callable[[], Mapping[str, float]],
) -> Answer:
    from cortex_core.base import config
    from cortex_core.base.project import find
    from cortex_core.triggers import calls, matching

    here = project.cwd, project.root or ""
    called = calls.read(tool, tool_input, *here, lambda folder: find(folder).branch)
    # What came with a repository cannot switch this one off: it is in no store, and no setting.
    # What a command says that opens a store past Cortex, in whichever language.
    is_code = any(calls.runs_code(run.words) for run in called.runs)
    text = str(tool_input.get("command") if is_code else called.written).lower()
    opens = tool in SHELLS and all(part in text for part in ("sqlite", "cortex", ".db"))
    said = _ABOUT_OWN if opens or any(matching.hits(own, called)) else ""
    if not config.in_effect(project).get("triggers.on"):
        return [], [], "ask" if said else "", said
    injected = lately()
    lines: list[str] = []
    ids: list[str] = []
    decided: list[tuple[str, str]] = []
    for (id, line, guard, _), stated in possible:
        breaks = [trigger.breaks for trigger in matching.hits(stated, called)]
        if not breaks:
            continue
        if guard in DECISIONS:
            decided.append((guard, line.removeprefix("- ")))
        # An occasion is recalled once in a while; what breaks the rule is recalled each time.
        is_due = any(breaks) or now - injected.get(id, 0.0) >= PAUSE
        # A rule that guards some calls and reminds at others is said once.
        if is_due and id not in ids and len(lines) < MOST_LINES:
            lines.append(line)
            ids.append(id)
    decision, reason = min(
        decided,
        key=lambda pair: DECISIONS.index(pair[0]),
        default=("ask" if said else "", ""),
    )
    return lines, ids, decision, f"Cortex: a rule of yours says: {reason}" if reason else said

"""Which memories say the opposite of CLAUDE.md or AGENTS.md, as proposals that the file supersedes.

Opposite is another version or value of the same thing, a command that one asks for and the other
rules out, or nearly the same sentence denied. A rule of a file becomes a suggestion first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import agents
from cortex_core.admission import apply, lookup
from cortex_core.base.errors import CortexError
from cortex_core.base.kinds import RULE_KINDS, UNLIKE
from cortex_core.base.tools import SHELL
from cortex_core.code_index import anchors
from cortex_core.duplicates import contradictions, gates, similarity
from cortex_core.duplicates.alignment import align
from cortex_core.duplicates.features import features
from cortex_core.exchange import claude_files
from cortex_core.records.memory import STATUSES, Actor, Memory
from cortex_core.redaction import quarantine
from cortex_core.store import memory_lookup
from cortex_core.triggers import calls, finding, matching, syntax
from cortex_core.triggers.forms import COMMAND

if TYPE_CHECKING:
    from cortex_core.store.journal import Change
    from cortex_core.store.store import Store
    from cortex_core.store.workspace import Workspace

LARGEST = 200_000
"""Bytes of a file of rules that is read."""

MOST = 400
"""Rules that are compared."""

SHORTEST = 12
"""Characters of a line by which its place in a file is known."""

_STATE = "rule files"
"""The name under which a store knows the files that it was compared with."""

_ASKING = RULE_KINDS - {"gotcha"} | {"decision", "procedure"}
"""Kinds whose memories ask for what they name; others may tell of it."""

_DENYING = frozenset({"negation", "antonyms"})


def propose(
    workspace: Workspace, store: Store, new: Sequence[str], actor: Actor, *, force: bool
) -> int:
    """Propose what files of rules say in place of memories that say the opposite; how many.

    Args:
        new: the memories that were not compared yet; with files that are as they were only these.
        force: compare all memories.
    """
    files = _files(workspace)
    known = b"".join(f"{path}\0".encode() + path.read_bytes() for path in files)
    state = sha256(known).hexdigest()[:16]
    is_new = force or state != (store.meta(_STATE) or "")
    if not files or not (is_new or new):
        return 0
    found = list(_opposites(workspace, store, files, None if is_new else frozenset(new)))
    proposed = 0
    if found:
        with store.change("check", "compare memories with files of rules", actor) as change:
            proposed = sum(_propose(store, change, *each) for each in found)
    store.set_meta(_STATE, state)
    return proposed


def _files(workspace: Workspace) -> list[Path]:
    """The files of rules in the project, AGENTS.md among them."""
    root = Path(workspace.project.root or "")
    rules = [
        rule
        for agent in agents.having("own_files")
        for rule in agent.own_files.rules(workspace.project)
    ]
    listed = [rule.path for rule in rules if not rule.everywhere]
    listed += [root / "AGENTS.md"] if (root / "AGENTS.md").is_file() else []
    inside = root.resolve()
    return [
        path
        for path in listed
        if path.resolve().is_relative_to(inside) and path.stat().st_size <= LARGEST
    ]


def _opposites(
    workspace: Workspace, store: Store, files: Sequence[Path], only: frozenset[str] | None
) -> Iterator[tuple[Memory, Memory, str]]:
    """The first rule that says the opposite of a memory, the memory, and why, in a sentence."""
    try:
        batch = claude_files.rules_batch(workspace, files)
    except CortexError:
        return
    seen: set[str] = set()
    for item in batch.items[:MOST]:
        rule = item.memory
        if quarantine.reason_of((rule.title, rule.content), by_user=False):
            continue
        for memory in _candidates(store, rule):
            if memory.id in seen or (only is not None and memory.id not in only):
                continue
            if why := opposite(rule.content, memory):
                seen.add(memory.id)
                line = _line(workspace, item.file, rule.content)
                yield rule, memory, f"{item.file}{line} says the opposite: {why}"


def _candidates(store: Store, rule: Memory) -> list[Memory]:
    """Memories in force that may be about what a rule is about."""
    forbidden = " ".join(trigger.pattern for trigger in _forbidden(rule.content))
    asked = " ".join(_asked_for(rule.content))
    values = " ".join(key for _, key in _values(rule.content))
    names = dict.fromkeys(
        found.id
        for words in (rule.content, f"{forbidden} {asked}", values)
        if words.strip()
        for found in lookup.similar_by_words(store, replace(rule, content=words))
    )
    return [
        memory
        for memory in store.memories(list(names))
        if memory.status == "active"
        and memory.kind not in UNLIKE
        and memory.content != rule.content
    ]


def opposite(rule: str, memory: Memory) -> str:
    """What `memory` says that a rule denies, a sentence; empty for nothing."""
    return (
        _other_value(rule, memory.content)
        or _other_command(rule, memory)
        or _denied(rule, memory.content)
    )


def _values(text: str) -> dict[tuple[str, str], str]:
    """The value of each thing of which a text states just one."""
    found: dict[tuple[str, str], set[str]] = {}
    for each in anchors.mentions("", text):
        if each.value and each.kind in ("version", "setting"):
            found.setdefault((each.kind, each.key), set()).add(each.value)
    return {key: next(iter(values)) for key, values in found.items() if len(values) == 1}


def _other_value(rule: str, known: str) -> str:
    ours, theirs = _values(known), _values(rule)
    for kind, key in ours.keys() & theirs.keys():
        ours_is, theirs_is = ours[kind, key], theirs[kind, key]
        if not anchors.agrees(ours_is, theirs_is) if kind == "version" else ours_is != theirs_is:
            return f"{key} {theirs_is}, not {ours_is}."
    return ""


def _other_command(rule: str, memory: Memory) -> str:
    """A command that one asks for and the other rules out."""
    if memory.kind not in _ASKING and "command" not in memory.tags:
        return ""
    if command := _ruled_out(_forbidden(rule), memory.content):
        return f"it rules out {command}."
    command = _ruled_out(_forbidden(memory.content, memory.kind), rule)
    return f"it asks for {command}." if command else ""


def _ruled_out(forbidden: Sequence[syntax.Trigger], content: str) -> str:
    """The first command that `content` asks for although it is forbidden; empty for none."""
    lines = [str(trigger) for trigger in forbidden]
    for command in _asked_for(content) if lines else ():
        if any(True for _ in matching.hits(lines, calls.read(SHELL, {"command": command}))):
            return command
    return ""


def _forbidden(content: str, kind: str = "policy") -> list[syntax.Trigger]:
    found = (syntax.parsed(line) for line in finding.find(kind, content))
    return [one for one in found if one is not None and one.breaks and one.tool == COMMAND]


def _asked_for(content: str) -> list[str]:
    return [
        named.what
        for _, found in finding.things(content)
        for named in found
        if named.form == "command" and not named.forbidden
    ]


def _denied(rule: str, known: str) -> str:
    """Nearly the same sentence, which one of the two denies."""
    one, other = features(rule), features(known)
    aligned = align(one, other)
    if aligned.coverage < similarity.EXAMINED:
        return ""
    found = contradictions.contradictions(one, other, gates.raised(one, other), aligned.strangers)
    return next((sentence for gate, sentence in found.items() if gate in _DENYING), "")


def _line(workspace: Workspace, file: str, content: str) -> str:
    """Where a rule is in its file, as `:12`; empty where that cannot be seen."""
    said = [line.strip(" -*#") for line in content.split("\n")]
    try:
        lines = Path(workspace.project.root or "", file).read_text("utf-8").split("\n")
    except (OSError, UnicodeError):
        return ""
    places = (
        n
        for words in said
        for n, line in enumerate(lines, 1)
        if len(words) >= SHORTEST and words in line
    )
    return next((f":{n}" for n in places), "")


def _propose(store: Store, change: Change, stated: Memory, memory: Memory, why: str) -> bool:
    """Record a proposal; False where the pair was proposed or the rule discarded before."""
    name = memory_lookup.same_content(store, stated.content, STATUSES, but_kind="code")
    rule = store.memory(name) if name else _suggested(change, stated, memory)
    if rule.status not in ("active", "suggested") or rule.id == memory.id:
        return False
    compared = replace(similarity.compare(rule.content, memory.content), conflicts=())
    texts = (memory.content, rule.content)
    return apply.propose(change, (rule.id, memory.id), compared, texts, changed=why) is not None


def _suggested(change: Change, rule: Memory, older: Memory) -> Memory:
    made = replace(
        rule,
        status="suggested",
        scope=older.scope,
        created=max(change.time, older.created + 1.0),
        updated=change.time,
        reinforced=change.time,
    )
    apply.insert(change, made)
    return made

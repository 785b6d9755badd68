"""Which kind of memory a piece of a note is: by what it says, else by its headings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cortex_core.capture import titles

_I = re.IGNORECASE

_BY_HEADING = tuple(
    (re.compile(rf"\b(?:{words})", _I), kind)
    for words, kind in (
        ("decisions?\\b|adrs?\\b|why we\\b|rationale", "decision"),
        ("gotchas?\\b|pitfalls?\\b|known (?:issues?|bugs?)|caveats?\\b|traps?\\b|watch out"
         "|troubleshoot", "gotcha"),
        ("fix(?:es)?\\b|solutions?\\b|workarounds?\\b", "solution"),
        ("lessons?\\b|learn(?:ed|ings?)\\b|insights?\\b|takeaways?\\b", "insight"),
        ("preferences?\\b|i (?:like|prefer)", "preference"),
        ("never\\b|don'?ts?\\b|do not\\b|forbidden|security rules?|hard rules?|constraints?\\b"
         "|polic(?:y|ies)\\b", "policy"),
        ("architecture|structure\\b|layout\\b|components?\\b|modules?\\b|data ?flow",
         "architecture"),
        ("patterns?\\b|idioms?\\b", "pattern"),
        ("status\\b|progress\\b|roadmap|to-?dos?\\b|next\\b|changelog", "progress"),
    )
)  # fmt: skip
_RULES = re.compile(
    r"\b(?:rules?|conventions?|guidelines?|style|standards?|principles?|practices?|instructions?"
    r"|workflow|preferences?|testing|commits?|git|naming|formatting|code)\b",
    _I,
)
_POLICY = re.compile(
    r"(?i:^(?:never|always|do not|don't|must(?: not)?|you must|under no circumstances"
    r"|no \w+ without)\b)"
    r"|\bMUST\b|\bNEVER\b|\bALWAYS\b|\b(?:is|are) (?:forbidden|not allowed|mandatory)\b"
)
_DECISION = re.compile(
    r"\bwe (?:chose|decided|picked|settled on|went with|moved (?:to|from))\b", _I
)
_ORDER = re.compile(
    r"^(?:please |only |when \w.{0,60}, |before \w.{0,60}, |after \w.{0,60}, )?(?:use|prefer|avoid"
    r"|run|write|keep|follow|ensure|make|add|put|name|test|commit|check|read|ask|never|always|don't"
    r"|do not|stick|favou?r|leave|return|handle|import|export|document|format|validate|wrap|place"
    r"|store|treat|update|include|start|stop|work|be|limit|split|update|create|build|mock|log|pass"
    r"|reuse|set|sort|throw|try|verify|call|respond|answer|speak)\b",
    _I,
)


def kind(path: Sequence[str], content: str) -> str:
    """The kind of a piece of an ordinary note.

    Args:
        path: the headings it stands under, the outermost first.
    """
    said = titles.plain(content.split("\n")[0])
    if _DECISION.search(said):
        return "decision"
    if _POLICY.search(said):
        return "policy"
    for heading in reversed(path):
        for pattern, name in _BY_HEADING:
            if pattern.search(heading):
                return name
    return "preference" if is_order(path, said) else "fact"


def rule_kind(path: Sequence[str], content: str) -> str:
    """The kind of a piece of a file with rules for an agent, such as CLAUDE.md."""
    said = titles.plain(content.split("\n")[0])
    found = kind(path, content)
    return "preference" if found in ("fact", "pattern") and _ORDER.search(said) else found


def is_order(path: Sequence[str], said: str) -> bool:
    """Whether a piece under headings about rules tells what to do."""
    return bool(_ORDER.search(said)) and any(_RULES.search(heading) for heading in path)

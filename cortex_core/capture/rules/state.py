"""What a session leaves for its next stretch, and where the rules put what they find.

Sessions are captured turn by turn. Every rule decides event by event from this state alone, so
that a session captured in pieces yields what it yields at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from cortex_core.capture import secrets
from cortex_core.capture.events import Candidate, Event
from cortex_core.capture.rules.registry import BY_NAME, tier_of
from cortex_core.capture.titles import title
from cortex_core.reports.curation import RuleTier
from cortex_core.text import content_words

EXCERPT = 1000
"""Most characters of a candidate's excerpt."""

_SAID = 8000
_SHORTEST_SECRET = 7
_PURE = frozenset({"prompts", "told", "edited", "added"})
"""Hashes, words already redacted, and paths."""
_LIMITS = {
    "prompts": 200, "commits": 40, "unconfirmed": 6, "causes": 12, "edited": 40, "added": 40,
    "told": 60,
}  # fmt: skip
"""How many of each the carry holds: the newest."""


@dataclass(slots=True)
class State:
    """A session as far as it has been read. Everything in it is JSON."""

    count: int = 0
    """Events seen."""
    turn: int = 0
    """Prompts so far, those left out that only say to commit or to go on."""
    prompt: str = ""
    """The last human prompt, cut."""
    prompts: list[str] = field(default_factory=list)
    """Hashes of the prompts seen, since forks repeat them under new ids."""
    said: dict[str, Any] = field(default_factory=dict)
    """The agent's last prose in this turn: text, and where it stands."""
    committed: bool = False
    turn_committed: bool = False
    finals: int = 0
    """Final answers taken so far."""
    commits: list[dict[str, Any]] = field(default_factory=list)
    """Commits taken: subject, hash and the hash of their text."""
    waiting: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Tool calls whose results decide whether they count, by tool id."""
    unconfirmed: list[dict[str, Any]] = field(default_factory=list)
    """Commits whose result was hidden and that a later log may show."""
    causes: list[dict[str, Any]] = field(default_factory=list)
    """Causes not yet joined to the commit that fixes them."""
    edited: list[str] = field(default_factory=list)
    """Files edited since the last commit."""
    added: list[str] = field(default_factory=list)
    """Files staged since the last commit."""
    written: dict[str, str] = field(default_factory=dict)
    """Small files written, which a commit may take its message from."""
    told: list[dict[str, Any]] = field(default_factory=list)
    """Words and rank of what earlier stretches yielded."""

    @classmethod
    def load(cls, carry: Mapping[str, Any]) -> State:
        """The state that `carry` holds; fields it lacks, or has of a wrong type, start afresh."""
        state = cls()
        for item in fields(cls):
            value = carry.get(item.name)
            if value is not None and isinstance(value, type(getattr(state, item.name))):
                setattr(state, item.name, _copied(value))
        return state

    def dump(self) -> dict[str, Any]:
        """The state as JSON for the next stretch, bounded, without secrets: it is written down."""
        for name, limit in _LIMITS.items():
            setattr(self, name, getattr(self, name)[-limit:])
        for name in ("waiting", "written"):
            entries = list(getattr(self, name).items())
            setattr(self, name, dict(entries[-12:]))
        held = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: value if name in _PURE else _purified(value) for name, value in held.items()}

    def say(self, event: Event) -> None:
        """Note prose of the agent: the last of a turn is its answer."""
        self.said = {"text": event.text[-_SAID:], "at": self.count, **place(event)}


def _purified(value: Any) -> Any:
    """`value` with the secrets in its texts redacted; hashes and names pass."""
    if isinstance(value, str):
        return secrets.redact(value).text if len(value) > _SHORTEST_SECRET else value
    if isinstance(value, dict):
        return {key: _purified(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_purified(each) for each in value]
    return value


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_copied(each) for each in value]
    return value


def place(event: Event) -> dict[str, Any]:
    """Where an event stands, as the fields of a candidate."""
    return {
        "session": event.session,
        "message": event.uuid or event.message,
        "offset": event.offset,
        "time": event.time,
        "branch": event.branch,
        "cwd": event.cwd,
    }


Kind = Literal[
    "policy", "preference", "decision", "fact", "gotcha", "solution", "progress", "insight",
    "summary", "architecture",
]  # fmt: skip


def candidate(
    rule: str,
    kind: Kind,
    content: str,
    where: Mapping[str, Any],
    *,
    name: str = "",
    about: str = "",
    confidence: float = 0.0,
    **extra: Any,
) -> Candidate:
    """A candidate with its rule's confidence and priority.

    `name` is its title where the source has one; else the title is made from the content, led by
    `about` where that is too short. `confidence` overrides the rule's.
    """
    known = BY_NAME[rule]
    extra["excerpt"] = str(extra.get("excerpt", ""))[:EXCERPT]
    return Candidate(
        content=content,
        title=title(name or content, about),
        kind=kind,
        rule=rule,
        confidence=confidence or known.confidence,
        priority=known.priority,
        **{key: where[key] for key in where if key in _PLACE},
        **extra,
    )


_PLACE = frozenset({"session", "message", "offset", "time", "branch", "cwd"})


class Found:
    """The candidates of one stretch, in order, and what was refused and why."""

    def __init__(self, tiers: Mapping[str, RuleTier]) -> None:
        self.tiers = tiers
        self.candidates: list[Candidate] = []
        self.refused: dict[str, int] = {}

    def add(self, found: Candidate) -> None:
        """Take `found` at its rule's tier; a rule that is off yields nothing."""
        tier = tier_of(found.rule, self.tiers)
        if tier == "off":
            self.refuse("rule is off")
            return
        self.candidates.append(replace(found, tier=tier))

    def refuse(self, reason: str) -> None:
        """Count something that was looked at and not taken."""
        self.refused[reason] = self.refused.get(reason, 0) + 1


def fingerprint(text: str) -> frozenset[str]:
    """The content words by which two texts are told to say the same."""
    return frozenset(content_words(text))

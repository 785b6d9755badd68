"""The rules there are: their names, tiers and what each finds. Nothing else lists them.

What a session leaves for its next stretch, and where the rules put what they find.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple

from cortex_core.base.text import content_words
from cortex_core.extract.wording import title
from cortex_core.redaction import secrets
from cortex_core.reports import RuleTier
from cortex_core.transcripts.events import Candidate, Event


class Rule(NamedTuple):
    """One rule and how its finds are filed."""

    name: str
    tier: RuleTier
    """Where its finds go unless the user's verdicts or settings say otherwise."""
    help: str
    """What it finds, in one line."""
    confidence: float
    priority: int
    """1 to 9: no rule may claim top priority."""
    rank: int
    """Whose words win when two rules found the same thing: the lower rank."""


FROM_PROMPT = "prompt-"
"""How the names of the rules begin that read sentences a user typed."""

RULES: tuple[Rule, ...] = (
    Rule("prompt-remember", "kept", "what the user asked to remember", 0.95, 8, 0),
    Rule("prompt-policy", "kept", "standing instructions: always, never, from now on", 0.9, 8, 0),
    Rule("prompt-correction", "kept", "“no, not X: Y” about how the project is", 0.85, 8, 0),
    Rule("prompt-preference", "kept", "what the user prefers", 0.9, 7, 0),
    Rule("prompt-fact", "kept", "what the user says for the agent's information", 0.85, 6, 0),
    Rule("prompt-decided", "kept", "decisions “we” made, with their reason", 0.85, 7, 0),
    Rule("answer", "kept", "answers to the agent's questions, with the question", 0.85, 6, 1),
    Rule("prompt-constraint", "suggested", "rules stated in passing", 0.7, 6, 2),
    Rule("prompt-decision", "suggested", "choices the user made in a prompt", 0.75, 6, 2),
    Rule("prompt-wish", "suggested", "how the user wants the result to be", 0.65, 5, 2),
    Rule("reply", "suggested", "short replies, joined with the question they answer", 0.65, 5, 2),
    Rule("commit", "kept", "commits made in the session, with their reasons", 0.8, 5, 3),
    Rule("commit-subject", "suggested", "commits whose message is one line", 0.7, 4, 3),
    Rule("pull-request", "kept", "pull requests opened in the session", 0.8, 5, 4),
    Rule("plan", "kept", "approach and decisions of plans the user approved", 0.8, 6, 4),
    Rule("concept", "kept", "compaction summaries: concepts that state a rule", 0.75, 5, 5),
    Rule("problem-solving", "suggested", "compaction summaries: problems solved", 0.65, 5, 6),
    Rule("error", "suggested", "compaction summaries: errors and their fixes", 0.6, 5, 6),
    Rule("file", "suggested", "compaction summaries: what new files are for", 0.6, 4, 6),
    Rule("note", "suggested", "the agent's own notes through memory tools", 0.65, 5, 7),
    Rule("ticket", "suggested", "bugs the agent filed", 0.65, 4, 7),
    Rule("cause", "suggested", "causes of failures the agent found", 0.6, 5, 8),
    Rule("final", "suggested", "final answers of sessions without a commit", 0.55, 4, 9),
)

BY_NAME: Mapping[str, Rule] = {rule.name: rule for rule in RULES}


def tier_of(rule: str, tiers: Mapping[str, RuleTier]) -> RuleTier:
    """Where finds of `rule` go: the override where there is one, else the rule's own tier."""
    return tiers.get(rule, BY_NAME[rule].tier)


EXCERPT = 1000
"""Most characters of a candidate's excerpt."""

_LONGEST_REPLY = 8000
_SHORTEST_SECRET = 7
_WITHOUT_SECRETS = frozenset({"prompts", "told", "edited", "added"})
"""Hashes, words already redacted, and paths."""
_LIMITS = {
    "prompts": 200, "commits": 40, "unconfirmed": 6, "causes": 12, "edited": 40, "added": 40,
    "told": 60,
}  # fmt: skip
"""How many of each the carry holds: the newest."""


@dataclass(slots=True)
class SessionState:
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
    """The agent's last prose in this turn: text, and where it is."""
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
    def load(cls, carry: Mapping[str, Any]) -> SessionState:
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
        return {
            name: value if name in _WITHOUT_SECRETS else _redacted(value)
            for name, value in held.items()
        }

    def say(self, event: Event) -> None:
        """Note prose of the agent: the last of a turn is its answer."""
        self.said = {"text": event.text[-_LONGEST_REPLY:], "at": self.count, **source_of(event)}


def _redacted(value: Any) -> Any:
    """`value` with the secrets in its texts redacted; hashes and names pass."""
    if isinstance(value, str):
        return secrets.redact(value).text if len(value) > _SHORTEST_SECRET else value
    if isinstance(value, dict):
        return {key: _redacted(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_redacted(each) for each in value]
    return value


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_copied(each) for each in value]
    return value


def source_of(event: Event) -> dict[str, Any]:
    """Where an event is, as the fields of a candidate."""
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
        **{key: where[key] for key in where if key in _SOURCE_FIELDS},
        **extra,
    )


_SOURCE_FIELDS = frozenset({"session", "message", "offset", "time", "branch", "cwd"})


class Findings:
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
    """The content words that decide whether two texts say the same."""
    return frozenset(content_words(text))

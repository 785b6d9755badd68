"""What the sources remember of a session, and how they file what they hear.

A session is read in parts, as it goes on; `SessionState` is carried from one part to the next.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields
from typing import Any, Self

from cortex_core.base.kinds import EPISODE
from cortex_core.extract.sources import BY_NAME, ENVIRONMENT
from cortex_core.extract.wording import title
from cortex_core.records.captures import RuleTier
from cortex_core.records.events import Candidate, Event, Observation, Topic
from cortex_core.redaction import secrets

EXCERPT = 1000
"""Most characters of a candidate's excerpt."""

_LONGEST_REPLY = 8000
"""Characters kept of a reply: its end, where a question or a conclusion is."""
_LONGEST_NAME = 7
"""Characters up to which a text is taken for a name, and not searched for secrets."""
_WITHOUT_SECRETS = frozenset({"prompts", "told", "edited", "added"})
"""Fields that need no redaction: hashes, words already redacted, and paths."""
_LIMITS = {
    "prompts": 400,
    "commits": 40,
    "edited": 40,
    "added": 40,
    "tasks": 60,
    "told": 100,
    "waiting": 24,
    "written": 24,
    "running": 24,
    "missing": 12,
    "failed": 6,
    "acted": 6,
}
"""Most entries of each that are remembered: the newest."""


MOST_ASKED = 200
"""Candidates with which what the user says is compared."""


@dataclass(slots=True)
class SessionState:
    """What the rules remember of a session. Everything in it is JSON.

    The names of the fields are keys of the stored state, so they do not change.
    """

    count: int = 0
    """Events seen."""
    title: str = ""
    """What the agent or the user calls the session."""
    turn: int = 0
    """Prompts so far, without those that only say to commit or to go on."""
    prompt: str = ""
    """The last human prompt, cut."""
    prompts: list[str] = field(default_factory=list)
    """Hashes of the prompts seen: forks repeat them under new ids."""
    queued: list[dict[str, Any]] = field(default_factory=list)
    """What the user typed while the agent worked, until a prompt repeats it or the next begins:
    its text and source."""
    stopped: bool = False
    """Whether the user has just stopped the agent or refused a call."""
    said: dict[str, Any] = field(default_factory=dict)
    """The agent's last prose in this turn: its text and source."""
    committed: bool = False
    commits: list[dict[str, Any]] = field(default_factory=list)
    """Commits taken: subject, hash and entry of the history."""
    waiting: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Tool calls whose results decide whether they count, by tool id."""
    edited: list[str] = field(default_factory=list)
    """Files edited since the last commit."""
    added: list[str] = field(default_factory=list)
    """Files staged since the last commit."""
    edits: int = 0
    """Edits of files so far, sub-agents' included."""
    edits_before: int = 0
    """How many of them were made before the last prompt."""
    tasks: dict[str, dict[str, str]] = field(default_factory=dict)
    """The agent's list of things to do, by number: the words and state of each."""
    languages: dict[str, int] = field(default_factory=dict)
    """By language: how many prompts the user wrote in it."""
    acted: list[dict[str, Any]] = field(default_factory=list)
    """The agent's calls since the last prompt: id, command or name, and whether it was refused."""
    asked: str = ""
    """The last prompt that does not only say to commit or to go on, cut."""
    lasting: list[str] = field(default_factory=list)
    """What the last prompt asked to remember, or the one thing it said that lasts."""
    last: dict[str, Any] = field(default_factory=dict)
    """The source of the last event."""
    written: dict[str, str] = field(default_factory=dict)
    """Text of small files written, by path: one may be a commit's message."""
    suggested: int = 0
    """Suggestions made of this session so far."""
    told: list[dict[str, Any]] = field(default_factory=list)
    """Words and rank of the candidates that were taken before."""
    root: str = ""
    """The folder in which the session began."""
    running: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Shell calls without a result yet, by tool id."""
    missing: list[str] = field(default_factory=list)
    """Programs that are not found here."""
    failed: list[dict[str, Any]] = field(default_factory=list)
    """Commands that were called wrongly: key, reason, source, and the number of the event."""
    pending: list[dict[str, Any]] = field(default_factory=list)
    """The candidates that wait for the end of the session."""

    @classmethod
    def load(cls, carry: Mapping[str, Any]) -> Self:
        """The state in `carry`; fields that are missing, or of a wrong type, start empty."""
        state = cls()
        for item in fields(cls):
            value = carry.get(item.name)
            if value is not None and isinstance(value, type(getattr(state, item.name))):
                setattr(state, item.name, deepcopy(value))
        return state

    def trim(self) -> None:
        """Forget the oldest entries beyond the limits: after each event, so that it does not matter
        in how many parts a session is read."""
        for name, limit in _LIMITS.items():
            entries = getattr(self, name)
            if len(entries) > limit and isinstance(entries, dict):
                setattr(self, name, dict(list(entries.items())[-limit:]))
            elif len(entries) > limit:
                del entries[:-limit]

    def dump(self) -> dict[str, Any]:
        """The state as JSON for the next part: bounded and without secrets, since it is stored."""
        self.trim()
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {
            name: value if name in _WITHOUT_SECRETS else _redacted(value)
            for name, value in values.items()
        }

    def await_result(self, event: Event, kind: str, **details: Any) -> None:
        """Keep a tool call of `event` until its result shows whether it counts."""
        self.waiting[event.tool_id] = {
            "kind": kind,
            "prompt": self.prompt,
            **details,
            **source_of(event),
        }

    def take_awaited(self, event: Event, kind: str) -> dict[str, Any] | None:
        """The tool call of this `kind` whose result `event` is; None if none waits for it."""
        call = self.waiting.get(event.tool_id)
        return self.waiting.pop(event.tool_id) if call and call.get("kind") == kind else None

    def say(self, event: Event) -> None:
        """Note prose of the agent: the last prose of a turn is its answer."""
        self.said = {"text": event.text[-_LONGEST_REPLY:], "at": self.count, **source_of(event)}


def _redacted(value: Any) -> Any:
    """`value` with the secrets in its texts redacted."""
    if isinstance(value, str):
        return secrets.redact(value).text if len(value) > _LONGEST_NAME else value
    if isinstance(value, dict):
        return {key: _redacted(each) for key, each in value.items()}
    return [_redacted(each) for each in value] if isinstance(value, list) else value


def source_of(event: Event) -> dict[str, Any]:
    """Where an event is in its session, as fields of a candidate."""
    return {
        "session": event.session,
        "message": event.uuid or event.message,
        "offset": event.offset,
        "time": event.time,
        "branch": event.branch,
        "cwd": event.cwd,
    }


_OF_MACHINE = 6
"""Lowest priority of addresses, ports and programs, which are asked for more often than others."""
_SOURCE_FIELDS = frozenset({"session", "message", "offset", "time", "branch", "cwd"})


class Findings:
    """The pending candidates of a session, in order, and why other texts were refused."""

    def __init__(self, tiers: Mapping[str, RuleTier], pending: Sequence[Candidate] = ()) -> None:
        self.tiers = tiers
        self.candidates: list[Candidate] = list(pending)
        self.observations: list[Observation] = []
        """What this part of the session adds to what counts only over sessions."""
        self.refused: dict[str, int] = {}

    def add(
        self,
        rule: str,
        kind: str,
        content: str,
        where: Mapping[str, Any],
        *,
        name: str = "",
        about: str = "",
        excerpt: str = "",
        **fields: Any,
    ) -> None:
        """Add a candidate with its rule's tier, confidence and priority, unless the rule is off.

        Args:
            where: the event it comes from, as `source_of` returns it, and `prompt`, its excerpt.
            name: its title, if the source has one; else a title is made from `content`.
            about: what the content is about; it leads a title that is too short.
            excerpt: words of the turn, in place of the prompt in `where`.
            fields: more fields of the candidate.
        """
        definition = BY_NAME[rule]
        tier = self.tiers.get(rule, definition.tier)
        if tier == "off":
            self.refuse("rule is off")
            return
        # What is asked for at every second command deserves more than its source.
        least = _OF_MACHINE if ENVIRONMENT in fields.get("tags", ()) else 0
        self.candidates.append(
            Candidate(
                content=content,
                title=title(name or content, about),
                kind=kind,
                rule=rule,
                tier=tier,
                confidence=definition.confidence,
                priority=max(definition.priority, least),
                excerpt=(excerpt or str(where.get("prompt", "")))[:EXCERPT],
                **{key: where[key] for key in where if key in _SOURCE_FIELDS},
                **fields,
            )
        )

    def observe(
        self,
        topic: Topic,
        key: str,
        text: str,
        where: Mapping[str, Any],
        *,
        succeeded: bool = True,
    ) -> None:
        """Note something that says little once and much when it comes back in other sessions.

        Args:
            key: its general form, by which it is recognised.
            text: its own form.
            where: the event it comes from, as `source_of` returns it.
        """
        # Only `capture.recurring` makes memories of these, once other sessions show them too.
        self.observations.append(
            Observation(
                topic=topic,
                key=key,
                text=text,
                succeeded=succeeded,
                session=str(where["session"]),
                message=str(where["message"]),
                offset=where["offset"],
                time=where["time"],
                branch=str(where["branch"]),
            )
        )

    def withdraw(self, is_over: Callable[[str], bool]) -> None:
        """Drop the pending candidates whose words do not hold any more.

        What happened stays history. The last ones alone are asked: a session has thousands.
        """
        standing = [
            *self.candidates[:-MOST_ASKED],
            *(
                each
                for each in self.candidates[-MOST_ASKED:]
                if each.kind == EPISODE or not is_over(each.content)
            ),
        ]
        for _ in range(len(self.candidates) - len(standing)):
            self.refuse("withdrawn later")
        self.candidates = standing

    def refuse(self, reason: str) -> None:
        """Count a text that was not taken, under `reason`."""
        self.refused[reason] = self.refused.get(reason, 0) + 1

"""What capture listens to: the one table of sources, each with how good its finds were measured.

A source keeps at once only while at least 80 % of 20 of its finds are good on projects that nobody
tuned on. What the others hear is suggested: whoever may keeps it, or the user says it again.
"""

from collections.abc import Mapping
from typing import NamedTuple

from cortex_core.records.captures import RuleTier


class SessionSource(NamedTuple):
    """One source, and how the candidates that it hears are filed."""

    name: str
    tier: RuleTier
    """Where its candidates go unless the user's verdicts or settings say otherwise."""
    help: str
    """What it hears, in one line."""
    good: int
    """Of `read` finds on projects that nobody tuned on, how many a strict reader calls good."""
    read: int
    confidence: float
    priority: int
    """1 to 9: no source may claim top priority."""
    rank: int
    """Of two sources that hear the same, the one with the lower rank wins; of a session's
    suggestions the lower ranks come first. What rank 0 hears does not wait for the session's end.
    """


FROM_PROMPT = "prompt-"
"""How the names of the sources begin that are sentences the user typed."""

# `good` of `read`: by readers who knew none of the tables, on projects that took no part in making
# them, as far as it is still heard: what is suggested on eight projects, what is kept on nine, and
# both on ten.
# “Remember” and the counts over sessions keep by what they are (the user's own request, what was
# tried in three sessions), facts of the environment by 9 of 11.
SOURCES: tuple[SessionSource, ...] = (
    SessionSource("prompt-remember", "kept", "what the user asked to remember", 0, 1, 0.95, 8, 0),
    SessionSource("prompt-correction", "suggested", "what the user corrects", 0, 1, 0.8, 7, 1),
    SessionSource("prompt-decision", "suggested", "what the user decided", 2, 2, 0.75, 6, 1),
    SessionSource(
        "prompt-order", "suggested", "how the user wants it done, always", 2, 7, 0.8, 7, 1
    ),
    SessionSource("prompt-wish", "suggested", "what the user prefers", 1, 1, 0.75, 6, 1),
    SessionSource("prompt-fact", "suggested", "how things are, as the user says", 4, 9, 0.75, 5, 1),
    SessionSource("answer", "suggested", "answers to the agent's questions", 10, 20, 0.75, 6, 3),
    SessionSource("fix", "suggested", "causes that were fixed, and how", 12, 35, 0.8, 5, 4),
    SessionSource("commit-decision", "suggested", "decisions with their reason", 6, 15, 0.7, 5, 5),
    SessionSource(
        "concept", "suggested", "rules, limits and values, from summaries", 23, 36, 0.75, 5, 2
    ),
    SessionSource(
        "command", "kept", "the project's commands, tried in three sessions", 9, 35, 0.85, 7, 3
    ),
    SessionSource("environment", "kept", "programs that are missing", 9, 11, 0.8, 7, 3),
    SessionSource(
        "dead-end", "kept", "ways that failed here, and what worked instead", 9, 9, 0.8, 5, 3
    ),
    SessionSource(
        "order", "suggested", "orders the user gave in several sessions", 0, 2, 0.8, 7, 2
    ),
    SessionSource("commit", "kept", "history: the commits of a session", 0, 0, 0.9, 3, 10),
    SessionSource(
        "pull-request", "kept", "history: the pull requests of a session", 0, 0, 0.9, 3, 10
    ),
    SessionSource("session-end", "kept", "history: where a session stopped", 0, 0, 0.9, 3, 10),
)

BY_NAME: Mapping[str, SessionSource] = {source.name: source for source in SOURCES}

OF_MODEL = 3
"""The rank of what a language model or an importer found: below what the user said."""

LATER = "later"
"""The entry of the details of what counts only where it changes what is stored: whether that is
likely (a stored value)."""

WITHDRAWS = "withdraws"
"""The entry of the details of what only takes something back: what it takes back, word for word or
by its subject, if that is known (a stored value)."""

ENVIRONMENT = "environment"
"""The tag of facts of the machine and what is around it."""


def rank_of(rule: str) -> int:
    """The rank of a source by its name, also as memories name it: `rule:answer`."""
    known = BY_NAME.get(rule.removeprefix("rule:"))
    return known.rank if known else OF_MODEL

"""What a replay of past sessions shows: how often Cortex would have helped, and chance alone."""

from dataclasses import dataclass
from typing import Literal

from cortex_core.records.as_json import Moment

BenefitName = Literal["corrections", "failures", "lines", "quotations"]

NEEDS: dict[BenefitName, str] = {
    "corrections": "corrections of yours that a line would have said before",
    "failures": "failed commands that would have met a rule or a dead end",
    "lines": "lines whose names or commands the session came to use",
    "quotations": "quoted turns whose names or commands it came to use",
}
"""What each benefit meets, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benefit:
    """How often one kind of need was met."""

    name: BenefitName
    """corrections: what the user corrected, which a line said before; failures: shell commands that
    failed, for which a rule or a dead end was recalled at the call; lines: memories given, of which
    the session used a name, number or command that it had from nowhere else, and that is not usual
    in the project's sessions; quotations: the same of quoted turns."""
    of: int
    """How often it could have been met."""
    met: int
    shuffled: int
    """How often it is met if each line is exchanged for one of another session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spared:
    """A correction that a line said before the user did."""

    time: Moment
    session: str
    said: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What Cortex would have given past sessions, and what of it they needed."""

    sessions: int
    since: Moment
    until: Moment
    prompts: int
    lines: int
    """Lines given, quotations included."""
    tokens: int
    benefits: tuple[Benefit, ...]
    suggested: int
    """Suggestions that waited at the end: the user decides on them, and none is given before."""
    spared: tuple[Spared, ...]
    """The corrections that were met, the oldest first."""

"""What a session is given: the text line by line, receipts, and what one session had."""

from collections.abc import Mapping
from dataclasses import dataclass

from cortex_core.records.as_json import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One memory injected into one session."""

    session: str
    event: str
    memory: str
    time: Moment
    tokens: int
    used: bool | None = None
    """None: not known yet, or it cannot be known."""
    evidence: str = ""
    """The words of the agent that show the use; where it cannot be known, that."""
    agent: str = ""
    """The agent that was given it; empty where its session was not read yet."""

    @property
    def use(self) -> str:
        """Whether it was used, in words."""
        if self.used is None:
            return self.evidence or "not known yet"
        return "used" if self.used else "not used"


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceLine:
    """One line of the injected text, or of what narrowly missed it."""

    id: str
    text: str
    kind: str
    score: float
    parts: Mapping[str, float]
    """Named shares of the score: confidence, priority, centrality, access, branch; kind, learned,
    said and works, which speak for a memory in the hand-over note."""
    tokens: int
    why: str = ""
    """Why it is in (pinned, rank) or out (budget of its kind, injection policy …)."""
    section: str = ""
    """The heading above it in the hand-over note; empty elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """The injected text, exact to the byte, and how it was chosen."""

    text: str
    lines: tuple[SurfaceLine, ...] = ()
    missed: tuple[SurfaceLine, ...] = ()
    tokens: int = 0
    units: int = 0
    """UTF-16 code units of `text`; never above `most_units`."""
    budget: int = 0
    """Tokens to fill; pinned memories may exceed it."""
    most_units: int = 9_500
    """The number at which Claude Code would cut it off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """Whether a memory is injected next, and why."""

    memory: str
    """Its id."""
    line: int = 0
    """Its line in what is injected, counted from 1; 0: it is not injected."""
    lines: int = 0
    """How many lines are injected."""
    rank: int = 0
    """By score among all that were compared, 1 is the best; 0: it was not compared."""
    score: float = 0.0
    """0 where it was not compared."""
    reason: str
    """Why, in words."""

    @property
    def words(self) -> str:
        """The answer in one line: `no: …`, or `yes, line 3 of 14: …`."""
        return (
            f"yes, line {self.line} of {self.lines}: {self.reason}"
            if self.line
            else (f"no: {self.reason}")
        )

"""How rules were kept, and what the user had to say again."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from cortex_core.base import text
from cortex_core.records.as_json import Moment
from cortex_core.records.memory import Memory, Source

RuleState = Literal[
    "kept and broken", "only breaches", "no occasion yet", "not counted yet", "cannot be checked"
]
"""What is known of how a rule was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleKept:
    """How often a rule was kept, by the transcripts that were read."""

    JSON: ClassVar = (
        "memory.id",
        "memory.title",
        "memory.triggers",
        "state",
        "countable",
        "since",
        "kept",
        "broken",
        "kept_before",
        "broken_before",
        "last_breach",
        "right_ways",
    )

    memory: Memory
    checkable: bool
    """Whether a tool call can show that it was kept or broken."""
    countable: bool
    """Whether calls that keep it can be seen; otherwise only breaches are counted."""
    since: Moment
    """From when on it is a rule, Unix seconds."""
    counted: bool = True
    """Whether sessions were read for it."""
    kept: int = 0
    """Occasions since then at which it was kept."""
    broken: int = 0
    kept_before: int = 0
    """The same before it was a rule."""
    broken_before: int = 0
    last_breach: Moment | None = None
    """Since it is a rule, Unix seconds."""
    right_ways: tuple[str, ...] = ()
    """The commands that count as keeping it."""

    @property
    def occasions(self) -> int:
        """Occasions since it is a rule of which it is known whether it was kept."""
        return self.kept + self.broken

    @property
    def state(self) -> RuleState:
        """What is known of it."""
        if not self.checkable:
            return "cannot be checked"
        if not self.counted:
            return "not counted yet"
        if not self.countable:
            return "only breaches"
        return "kept and broken" if self.occasions else "no occasion yet"

    @property
    def words(self) -> str:
        """How often it was kept: `kept 41 of 43`; never a share where occasions are not seen."""
        if self.state == "only breaches":
            often = text.counted(self.broken, "time")
            said = f"broken {often}" if self.broken else "never broken"
            return f"{said}; occasions cannot be counted"
        return f"kept {self.kept:,} of {self.occasions:,}" if self.occasions else self.state

    @property
    def count(self) -> str:
        """`words` where `kept` is said already: `41 of 43`."""
        return self.words.partition(";")[0].removeprefix("kept ")

    @property
    def before(self) -> str:
        """How it was before it was a rule: `broken 5 of 9`; empty where there was no occasion."""
        occasions = self.kept_before + self.broken_before
        if not occasions:
            return ""
        if not self.countable:
            return f"broken {text.counted(self.broken_before, 'time')}"
        return f"broken {self.broken_before:,} of {occasions:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A call that broke a rule."""

    memory: str
    """The rule's id."""
    number: int
    """Its place among the breaches of the rule, the newest 1."""
    session: str
    turn: int
    """The number of its turn in the session, counted from 1."""
    time: Moment
    call: str
    """The beginning of what was called, without secrets."""
    before: bool
    """Whether it was before the rule was one."""


@dataclass(frozen=True, slots=True)
class TriggerLine:
    """A line that may be a trigger, and what it means."""

    line: str
    meaning: str = ""
    """In a sentence; empty if the line is no trigger."""
    problem: str = ""
    """Why it is no trigger, in a sentence."""


RepeatOutcome = Literal["not learned", "not given", "not followed"]
"""What had become of something by the time the user had to say it again. not learned: no memory
said it; not given: a memory did, and was not injected into that session; not followed: the agent
had it, from a memory or from the user in the same session."""

Repair = Literal[
    "remember", "keep", "release", "restore", "inject", "trigger", "guard", "pin", "edit", "floor"
]
"""What can be done so that it need not be said again: remember it, keep or release or restore the
memory, let it be injected, set its triggers, guard its calls, pin it, edit its words, or lower the
similarity from which memories are injected with a prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One time at which the user said something again."""

    time: Moment
    session: str
    said: str
    """The user's sentence, without secrets."""
    rule: str = ""
    """What of it could be remembered: without “no, …” or “I asked you to …”."""
    source: Source
    """The turn in which they said it."""
    before: str = ""
    """The newest earlier sentence of the user that says the same; empty if only a memory does."""
    before_time: Moment | None = None
    outcome: RepeatOutcome
    why: str
    """Why it came to that, as far as it is known: “it waits as a suggestion”."""
    memory: str = ""
    """The id of the memory that says it; of one learned since, where none said it then."""
    title: str = ""
    repairs: tuple[Repair, ...] = ()
    """The most promising first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatMonth:
    """How often something was corrected in a month."""

    JSON: ClassVar = ("*", "again")

    month: str
    """`YYYY-MM`, where the user is."""
    first: int = 0
    """Corrections of what had not been said before."""
    not_learned: int = 0
    not_given: int = 0
    not_followed: int = 0
    followed: int = 0
    """Tool calls that kept a rule after it was injected; of rules that can be checked only."""

    @property
    def again(self) -> int:
        """How often something was said again."""
        return self.not_learned + self.not_given + self.not_followed


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatReport:
    """What the user had to say again."""

    since: Moment
    months: tuple[RepeatMonth, ...]
    """Those in which something was corrected, or a rule followed; the oldest first."""
    cases: tuple[Repeat, ...]
    """The newest first."""

"""The sections of the hand-over note, and which of them a memory belongs to."""

from cortex_core.base import text
from cortex_core.base.authorship import applies_always, learned_by, mark
from cortex_core.base.hook_io import LightRecord
from cortex_core.base.kinds import CODE_DESCRIPTION, Kinds
from cortex_core.surface.choosing import WORKING_TAGS, SurfaceCandidate


class HandoverSection(LightRecord):
    """One section of the note."""

    name: str
    title: str
    share: float
    """The part of the tokens that it is sure of; what it does not need is shared."""


ALWAYS = HandoverSection("always", "Always", 0.2)
HOW = HandoverSection("how", "How things are done here", 0.35)
HERE = HandoverSection("here", "This branch and these files", 0.1)
TRAPS = HandoverSection("traps", "Known traps", 0.1)
DECIDED = HandoverSection("decided", "Decided", 0.1)
STOPPED = HandoverSection("stopped", "Where it stopped", 0.15)

SECTIONS = (ALWAYS, HOW, HERE, TRAPS, DECIDED, STOPPED)
"""In the order of the note."""

BY_NAME = {section.name: section for section in SECTIONS}

_BY_KIND = {
    "procedure": HOW,
    "pattern": HOW,
    "fact": HOW,
    "gotcha": TRAPS,
    "solution": TRAPS,
    "architecture": DECIDED,
}
"""Sections of kinds. Of others, those that every session gets are in the first, the rest among what
was decided."""

PASSING = 45.0
"""Half-life in days below which a kind tells what passes, not what lasts."""

CHECKS = frozenset("build check checks ci compile fmt format lint test tests typecheck".split())
"""Names of the tasks that every change needs. Build tools share them in whatever language a project
is; a command's words alone say what it is for."""


SETTLED = "rule:fix"
"""The rule of memories that tell what a commit has fixed: no trap any more, but worth knowing for
whoever works on its branch or files."""


def section_of(candidate: SurfaceCandidate, kinds: Kinds) -> HandoverSection | None:
    """The section of a memory; None where its kind has no lines, or describes code elsewhere.

    What always applies is what the user, or a member of the team, said, and what the user pinned. A
    rule that was learned otherwise from the user's sessions tells how things are done here; one
    from elsewhere is among what was decided.
    """
    row = candidate.row
    named = _BY_KIND.get(row.kind, ALWAYS if kinds.known(row.kind).baseline else DECIDED)
    # Who said it decides before what it is: only the user's own word may be an order.
    sections = (
        (row.pinned, ALWAYS),
        (candidate.ends is not None, STOPPED),
        (not kinds.known(row.kind).surface_lines, None),
        (named is ALWAYS and applies_always(row.rule), ALWAYS),
        (any(tag in row.tags for tag in WORKING_TAGS), HOW),
        (candidate.here, HERE),
        (learned_by(row.rule) == SETTLED or row.kind == CODE_DESCRIPTION, None),
        (named is not ALWAYS, named),
        (mark(learned_by(row.rule)), DECIDED),
        (True, HOW),
    )
    return next(section for holds, section in sections if holds)


def lasts(kind: str, kinds: Kinds) -> bool:
    """Whether memories of `kind` still hold when what was at hand is done."""
    half_life = kinds.known(kind).half_life
    return half_life is None or half_life >= PASSING


def is_check(candidate: SurfaceCandidate) -> bool:
    """Whether the memory is a command that tests, checks, formats or builds."""
    row = candidate.row
    return "command" in row.tags and any(
        part in CHECKS
        for word in (*row.tags, *text.words(row.title))
        for part in word.replace(":", " ").replace("-", " ").replace(".", " ").split()
    )

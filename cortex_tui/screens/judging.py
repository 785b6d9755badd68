"""What the merge review says: the head, what the survivor inherits, what is suggested and why.

Values in, words out.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from textual.content import Content

from cortex_core.memory import Memory
from cortex_core.reports.curation import Review
from cortex_tui.actions.review import Item, Verdict
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.screens.wording import Steps
from cortex_tui.widgets.merge_view import clickable, letter
from cortex_tui.widgets.row import fit

MOST_FLAGS = 3
"""Conflicts shown; the rest is counted."""
MOST_SOURCES = 3

LABELS: dict[Verdict, str] = {
    "approve": "approve", "left": "keep left", "right": "keep right", "supersede": "supersede",
    "distinct": "not duplicates", "reject": "reject",
}  # fmt: skip

_NAMES: dict[str, Verdict] = {
    "approve": "approve", "supersede": "supersede", "distinct": "distinct",
}  # fmt: skip


def queue_line(item: Item, verdict: str, glyphs: Glyphs, width: int) -> Content:
    """A proposal in the queue; one that is decided is dimmed and says how."""
    signs = glyphs.signs
    end = verdict or f"{signs.status['quarantined'] if item.flags else ' '} {item.similarity:.2f}"
    room = max(0, width - cell_len(end) - 2)
    title = fit(glyphs.line(item.title), room, signs.ellipsis)
    warns = item.flags and not verdict
    return Content.assemble(
        (title, "$faint" if verdict else "$foreground"), "  ",
        (end, "$text-warning" if warns else "$muted"),
    )  # fmt: skip


def head(review: Review, place: int, total: int, verdict: str, glyphs: Glyphs) -> Content:
    """Which proposal it is, why it was made, and what speaks against it."""
    made, signs = review.proposal, glyphs.signs
    kind = "near-duplicate" if made.type == "merge" else "update"
    between = f" {signs.between} "
    first = Content.assemble(
        ("Review ", "bold"), (f"{place} of {total}", "bold"),
        (f"   {glyphs.line(verdict)}" if verdict else "", "$text-accent bold"),
        (f"   {kind}{between}{made.similarity:.2f} alike", "$muted"),
    )  # fmt: skip
    lines = [first, Content.styled(glyphs.line(" ".join(made.reasons)), "$muted")]
    style = "$muted" if verdict else "$text-warning"
    lines += [Content.styled(line, style) for line in _warnings(review, glyphs)]
    return Content("\n").join(line for line in lines if line.plain)


def _warnings(review: Review, glyphs: Glyphs) -> Iterator[str]:
    sign = glyphs.signs.status["quarantined"]
    if review.changed:
        yield (
            f"{sign} A member has changed since. The first verdict brings the proposal up to date; "
            "the next one counts."
        )
    flags = review.proposal.conflicts
    yield from (f"{sign} {glyphs.line(flag)}" for flag in flags[:MOST_FLAGS])
    if (rest := len(flags) - MOST_FLAGS) > 0:
        yield f"{sign} and {rest} more"


def heir(review: Review, glyphs: Glyphs, keymap: Keymap) -> Content:
    """What the survivor inherits, and what is suggested."""
    one, between = review.heir, f" {glyphs.signs.between} "
    stands = [*_pins(review, glyphs), f"priority {one.priority}"]
    stands.append(f"confidence {round(one.initial_confidence * 100)}")
    stands.append(f"tags {', '.join(map(glyphs.line, one.tags))}" if one.tags else "no tags")
    stands += [f"files {', '.join(map(glyphs.line, one.globs))}"] if one.globs else []
    brings = [_count(review.edges, "link"), _count(one.access_count, "use"), _sources(one, glyphs)]
    lines = [
        Content.assemble(("inherits  ", "$muted"), between.join(stands)),
        Content.assemble("          ", between.join(brings)),
    ]
    if review.lost:
        lost = glyphs.line(", ".join(review.lost[:6]))
        edit = keymap.first("review.edit")
        lines.append(
            Content.styled(
                f"{glyphs.signs.status['quarantined']} The merged words lack {lost}: they are not "
                f"approved so. {edit} edits them.",
                "$text-warning",
            )
        )
    key = keymap.first("review.default")
    does = Content.assemble(
        (LABELS[advised(review)], "$text-accent bold"), (f" ({key})" if key else "", "$muted")
    )
    why = because(review, glyphs)
    lines.append(
        Content.assemble(
            ("suggested ", "$muted"), clickable(does, "default"), (f" {why}", "$muted")
        )
    )
    return Content("\n").join(lines)


def _pins(review: Review, glyphs: Glyphs) -> list[str]:
    pinned = [letter(place) for place, one in enumerate(review.members) if one.pinned]
    return [f"{glyphs.signs.pin} pin of {' and '.join(pinned)}"] if pinned else []


def _sources(one: Memory, glyphs: Glyphs) -> str:
    sources = one.sources or (one.source,)
    rules = list(dict.fromkeys(glyphs.line(source.rule) for source in sources))
    return f"{_count(len(sources), 'source')} ({', '.join(rules[:MOST_SOURCES])})"


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def advised(review: Review) -> Verdict:
    """The verdict that is suggested: never a merge that would lose something."""
    wished = _NAMES[review.advice]
    return "right" if wished == "approve" and review.lost else wished


def because(review: Review, glyphs: Glyphs) -> str:
    """Why it is suggested."""
    flags = review.proposal.conflicts or review.proposal.reasons
    if advised(review) == "right":
        return "because the merged words would lose something"
    if review.advice == "approve":
        return "because nothing speaks against it"
    newest = max(range(len(review.members)), key=lambda place: review.members[place].created)
    if review.proposal.type == "supersede":
        flags = review.proposal.reasons
    flag = glyphs.line(flags[0]).rstrip(".") if flags else "they differ"
    if review.advice == "supersede":
        return f"because {letter(newest)} is newer, and {_lowered(flag)}"
    return f"because {_lowered(flag)}"


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def refusal(review: Review | None, verdict: Verdict, decided: str) -> str:
    """Why a verdict cannot be given; "" when it can."""
    if decided:
        return f"It is decided: {decided}. Undo takes it back."
    if review is None:
        return "There is no proposal here that can be judged."
    if verdict == "approve" and review.lost:
        return (
            f"The merged words lose {', '.join(review.lost[:6])}. Nothing was merged. "
            "Edit them, or keep one side."
        )
    return ""


def nothing(keymap: Keymap) -> tuple[str, Steps]:
    """What is said where there is nothing to review."""
    key = keymap.first
    return "Nothing to review.", [
        (key("review.consolidate"), "look for memories that say the same, now"),
        ("cortex consolidate", "the same from the command line"),
        (key("change.undo"), "take the last verdict back"),
        (key("page.back"), "go back"),
    ]

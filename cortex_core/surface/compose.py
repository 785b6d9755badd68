"""Composing the text that is injected: the note at a start, lists with a prompt or for a file.

All of it is pure: the same candidates and settings give the same bytes, with no time and no count
in them.
"""

from __future__ import annotations

from functools import cached_property

from cortex_core.base import text
from cortex_core.base.authorship import (
    CODE_STRUCTURE,
    MODEL,
    applies_always,
    is_by_hand,
    learned_by,
)
from cortex_core.base.hook_io import LightRecord
from cortex_core.store.surface_reader import SAME, SurfaceRow
from cortex_core.surface import wording
from cortex_core.surface.choosing import IMPORTANT, MINOR, TRUNKS, SurfaceCandidate, best_first
from cortex_core.surface.given import Injection
from cortex_core.surface.sections import (
    ALWAYS,
    BY_NAME,
    SECTIONS,
    STOPPED,
    is_check,
    lasts,
    section_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cortex_core.base.kinds import Kinds
    from cortex_core.duplicates.last_word import Claim

SHORTEST = 10
"""Tokens; with fewer left no line is tried any more."""

FEWEST_WORDS = 3
"""Content words from which a line that holds no others repeats the line that has them all."""

SAVES_A_SEARCH = 5
"""The priority from which what a model found is injected at the start: below it is, in the scale
that the model is asked to use, good to know. Of 50 lines that a fresh reader judged three were
below, and one of these was wanted."""

_NOT_HERE = "only for its branch or files: they are not at hand"
_INCOMPLETE = "no complete statement: edit its title"
WITHOUT_LINES = "no lines for the kind {}"
"""Why no memory of a kind is in the hand-over note."""


class ComposedLine(LightRecord):
    """One line that is injected, or just missed, and why. Its text is written on first use."""

    candidate: SurfaceCandidate
    section: str = ""
    """The name of its section in the hand-over note, or of its layer."""
    why: str = ""
    same: str = ""
    """The id of the memory that says the same, where that is why it was left out."""
    crowded_out: bool = False
    """Whether only room was missing."""

    @cached_property
    def text(self) -> str:
        """The text of the line; in the note empty if the memory has no complete statement."""
        row = self.candidate.row
        if learned_by(row.rule) == CODE_STRUCTURE:
            # Which code it is, without what its comments say.
            name = wording.quoted(row.title.partition(": ")[0])
            return f"- {name} {wording.ending(row.id, CODE_STRUCTURE)}"
        # Outside of the note, and where the user pinned it, a memory is given as it is.
        if self.section not in BY_NAME or row.pinned:
            return wording.line(
                row.id, row.title, row.content, rule=row.rule, whole=row.pinned, remark=row.remark
            )
        if self.section == STOPPED.name:
            branch = "" if row.branch in TRUNKS else row.branch
            ends = self.candidate.ends or ()
            return wording.stop_lines(row.id, row.title, ends, row.created, branch)
        return wording.statement_line(
            row.id, row.title, row.content, rule=row.rule, remark=row.remark
        )

    @property
    def tokens(self) -> int:
        """About how many tokens the line takes."""
        return text.tokens(self.text)

    @cached_property
    def claim(self) -> Claim:
        """What the line says, as it is compared with others; its text stays as it is then."""
        from cortex_core.duplicates.last_word import Claim  # which a prompt does not need

        row = self.candidate.row
        return Claim(self.text.removesuffix(wording.ending(row.id, row.rule, row.remark)))


class Composition:
    """A composed text, its lines, and the candidates that just missed."""

    def __init__(
        self,
        words: str,
        lines: Sequence[ComposedLine],
        missed: Sequence[ComposedLine],
    ) -> None:
        self.text = words
        self.lines = tuple(lines)
        self.missed = tuple(missed)
        self.quoted: Mapping[str, str] = {}
        """Ids of the quotations from conversations, and the line of each."""
        self.tokens = text.tokens(words)
        self.units = text.utf16_units(words)

    @property
    def refused(self) -> dict[str, str]:
        """Why no layer gives a memory, by id: not those for which only room is missing, or that
        are given for other files and branches."""
        return {
            line.candidate.row.id: line.why
            for line in self.missed
            if line.same or (line.section and not line.crowded_out)
        }

    @property
    def injection(self) -> Injection:
        """What a hook needs to inject it."""
        ids = [line.candidate.row.id for line in self.lines]
        own = [line.tokens for line in self.lines]
        quoted = map(text.tokens, self.quoted.values())
        return Injection(self.text, [*ids, *self.quoted], self.tokens, [*own, *quoted])

    def add_quotations(self, words: str, quoted: Mapping[str, str]) -> None:
        """Put the fenced quotations `words` below, as far as Claude Code's limit allows.

        Args:
            quoted: their ids, and the line of each.
        """
        if words and self.units + text.utf16_units(words) < wording.MOST_UNITS:
            self.text = "\n".join(filter(None, (self.text, words)))
            self.quoted = quoted
            self.tokens, self.units = text.tokens(self.text), text.utf16_units(self.text)


def compose(
    candidates: Sequence[SurfaceCandidate],
    kinds: Kinds,
    tokens: int,
    *,
    duplicates: Mapping[str, tuple[str, str]] | None = None,
    known: Callable[[SurfaceRow], bool] = lambda _: False,
    has_sessions: bool = False,
) -> Composition:
    """The hand-over note made of `candidates` within about `tokens` tokens.

    Args:
        duplicates: for the lesser memory of each open proposal the better one, and what it is to
            that.
        known: whether Claude Code gives a memory by itself.
        has_sessions: whether there are past sessions that can be searched.
    """
    filling = _Filling(kinds, tokens, [_SESSIONS] if has_sessions else [])
    lines = filling.distinct(best_first(candidates), duplicates or {}, known)
    more = filling.pin([line for line in lines if line.candidate.row.pinned])
    filling.fill([line for line in lines if not line.candidate.row.pinned])
    filling.lengthen()
    return Composition(filling.render(more), filling.taken, filling.missed)


def _order(line: ComposedLine) -> tuple[bool, float, bool, float, bool, float, str]:
    """The order within a section: pinned, then by score; among equals the checks come first, then
    the newest. No id decides: they are drawn by lot."""
    candidate = line.candidate
    return (
        not candidate.row.pinned,
        -round(candidate.score, 2),
        not is_check(candidate),
        -candidate.score,
        candidate.row.scope != "project",
        -candidate.row.created,
        candidate.row.content_hash,
    )


class _Filling:
    """The state of filling one note."""

    def __init__(self, kinds: Kinds, tokens: int, closing: list[str]) -> None:
        self.kinds = kinds
        self.tokens = tokens
        self.closing = closing
        """The lines after all sections."""
        self.budget = wording.Budget(tokens)
        for words in (wording.fenced("-"), *closing, _COUNTS.format(9_999, 9_999)):
            self.budget.spend(words)
        self.taken: list[ComposedLine] = []
        self.missed: list[ComposedLine] = []
        self._lines: dict[str, int] = {}
        self._sections: set[str] = set()

    def distinct(
        self,
        candidates: Sequence[SurfaceCandidate],
        duplicates: Mapping[str, tuple[str, str]],
        known: Callable[[SurfaceRow], bool],
    ) -> list[ComposedLine]:
        """A line for each candidate that has a section and does not repeat another."""
        # Of two that say the same the pinned one is given, for nothing else is sure to find room,
        # else the better one of a proposal: each would be left out because of the other.
        best = sorted(candidates, key=lambda one: (not one.row.pinned, one.row.id in duplicates))
        first_with = {one.row.content_hash: one.row.id for one in reversed(best)}
        every = {
            one.row.id: ComposedLine(one, section.name if section else "")
            for one in candidates
            for section in [section_of(one, self.kinds)]
        }
        lines: list[ComposedLine] = []
        for line in every.values():
            row = line.candidate.row
            # A line that is left out names the one that says the same, so that the reason can be
            # followed.
            same = first_with[row.content_hash]
            better, says = duplicates.get(row.id, ("", ""))
            # What has no line of its own takes nothing out of the note.
            is_told = better in every and every[better].section and every[better].text
            if is_told and not (row.pinned and says == SAME):
                _repeats(line, says, better)
            elif same != row.id:
                _repeats(line, "says the same as", same)
            elif not row.pinned and known(row):
                line.why = "Claude's own memory says it already"
            # A model found it, and said that nothing is lost without it.
            elif (
                line.section != STOPPED.name
                and row.rule.startswith(MODEL)
                and row.priority < SAVES_A_SEARCH
                and not row.pinned
            ):
                line.why = f"good to know, by its priority of {row.priority}"
            elif not line.section:
                has_lines = self.kinds.known(row.kind).surface_lines
                line.why = _NOT_HERE if has_lines else WITHOUT_LINES.format(row.kind)
            (self.missed if line.why else lines).append(line)
        return lines

    def pin(self, lines: Sequence[ComposedLine]) -> int:
        """Take every pinned line, whole if the cap allows, else as its title.

        Returns:
            How many did not fit at all.
        """
        shortened: list[tuple[ComposedLine, str]] = []
        for line in lines:
            row, whole = line.candidate.row, line.text
            # The shortest line for a memory: its title and its id.
            line.text = (
                f"- {wording.shortened(wording.quoted(row.title or row.content), 120)}"
                f" {wording.ending(row.id, row.rule, row.remark)}"
            )
            if self.budget.fits_cap(self._with_heading(line)):
                line.why = "pinned, shortened to its title"
                self._take(line)
                shortened.append((line, whole))
            else:
                line.why = "pinned, but beyond Claude Code's limit: counted"
                self.missed.append(line)
        # Titles first: each pinned memory is there before one of them takes the room of another in
        # full.
        for line, whole in shortened:
            self.budget.spend(line.text, -1)
            if self.budget.fits_cap(whole):
                line.text, line.why = whole, "pinned"
            self.budget.spend(line.text)
        return len(lines) - len(shortened)

    def fill(self, lines: Sequence[ComposedLine]) -> None:
        """Take what comes first, fill the share of each section, then the rest with the best of
        what lasts."""
        rest: list[ComposedLine] = []
        start = self.budget.tokens
        lines = self._fill_first(lines)
        for section in SECTIONS:
            own = [line for line in lines if line.section == section.name]
            own.sort(key=lambda line: (not self._lasts(line), _order(line)))
            rest += self._fill_share(own, self.budget.tokens - start * section.share)
        rest.sort(key=_order)
        self._fill_rest(rest)

    def lengthen(self) -> None:
        """Tell more of the memories whose line is only how they begin, as far as room is left."""
        for line in sorted(self._statements, key=_order):
            row = line.candidate.row
            whole = wording.full_line(
                row.id, row.title, row.content, rule=row.rule, remark=row.remark
            )
            # Of code no more than its name: what its comments say is anybody's.
            if len(whole) > len(line.text) and learned_by(row.rule) != CODE_STRUCTURE:
                self.budget.spend(line.text, -1)
                line.text = whole if self.budget.fits(whole) else line.text
                self.budget.spend(line.text)

    def _fill_first(self, lines: Sequence[ComposedLine]) -> list[ComposedLine]:
        """Take what comes before all shares, to the end of the budget; the lines that are left.

        Where something important has no room, what is minor has none either.
        """
        is_full = False
        first = [line for line in lines if _precedence(line) < len(_PRECEDENCE)]
        for line in sorted(first, key=lambda line: (_precedence(line), _order(line))):
            priority = line.candidate.row.priority
            if (is_full and priority <= MINOR) or not self._offer(line, "comes first"):
                self.missed.append(_crowded_out(line, self._full))
                is_full = is_full or priority >= IMPORTANT
        left = [line for line in lines if line not in first]
        least = MINOR + 1 if is_full else 0
        self.missed += [
            _crowded_out(line, "what matters more has no room")
            for line in left
            if line.candidate.row.priority < least
        ]
        return [line for line in left if line.candidate.row.priority >= least]

    def _lasts(self, line: ComposedLine) -> bool:
        return lasts(line.candidate.row.kind, self.kinds)

    def _fill_share(self, lines: Sequence[ComposedLine], allowance: float) -> list[ComposedLine]:
        """Take the best of a section until only `allowance` tokens are left, but one at least.

        Returns:
            What was not taken and may be taken of the rest.
        """
        left: list[ComposedLine] = []
        for line in lines:
            room = self.budget.tokens - (allowance if line.section in self._sections else 0)
            kind = line.candidate.row.kind
            if self._lines.get(kind, 0) >= self.kinds.known(kind).surface_lines > 0:
                left.append(_crowded_out(line, f"the lines for {kind} are full"))
            elif not self._offer(line, "in its section's share", room):
                left.append(line)
        return left

    @property
    def _full(self) -> str:
        return f"others fill the {self.tokens} tokens"

    def _fill_rest(self, lines: Sequence[ComposedLine]) -> None:
        """Take the best of what lasts, of any section, until the tokens are full."""
        for line in lines:
            if not self._lasts(line):
                why = f"{line.candidate.row.kind} does not last: its section's share is full"
                self.missed.append(_crowded_out(line, why))
            elif not self._offer(line, "best of the rest"):
                self.missed.append(line)

    def _offer(self, line: ComposedLine, why: str, room: float = wording.MOST_UNITS) -> bool:
        """Take `line` because of `why`, or refuse it for what it says; False if only room is
        missing, of which it may have `room` tokens."""
        if min(room, self.budget.tokens) >= SHORTEST:
            if not self._may_be_told(line):
                self.missed.append(line)
                return True
            if line.tokens <= room and self.budget.fits(self._with_heading(line)):
                line.why, line.crowded_out = why, False
                self._take(line)
                return True
        _crowded_out(line, self._full)
        return False

    def _may_be_told(self, line: ComposedLine) -> bool:
        """Whether the line can be told, holds and adds something; otherwise note why not."""
        line.crowded_out = False
        if not line.text:
            line.why = _INCOMPLETE
            return False
        return not self._is_overtaken(line) and (_is_own_rule(line) or self._is_new(line))

    @property
    def _statements(self) -> list[ComposedLine]:
        """The lines that were taken, without where it stopped, which quotes what others state."""
        return [line for line in self.taken if line.section != STOPPED.name]

    def _is_overtaken(self, line: ComposedLine) -> bool:
        """Whether a line that was taken says the contrary, and counts more; one that counts less
        is given up."""
        for other in self._statements:
            if line.claim.contradicts(other.claim):
                if _standing(other) >= _standing(line):
                    _repeats(line, "says the contrary of", other.candidate.row.id)
                    return True
                _repeats(other, "says the contrary of", line.candidate.row.id)
                self._give_up(other)
                return False
        return False

    def _is_new(self, line: ComposedLine) -> bool:
        """Whether the line adds something to those that were taken; otherwise note why not."""
        words, denies = line.claim.words, line.claim.denies
        for other in self._statements:
            said = other.claim.words
            if denies is not other.claim.denies:
                continue
            fewest = min(len(words), len(said)) + denies
            if words == said or (fewest >= FEWEST_WORDS and (words <= said or said <= words)):
                _repeats(line, "says the same as", other.candidate.row.id)
                return False
        return True

    def _give_up(self, line: ComposedLine) -> None:
        """Take back a line that was taken."""
        kind = line.candidate.row.kind
        self.budget.spend(line.text, -1)
        self._lines[kind] -= 1
        self.taken.remove(line)
        self.missed.append(line)

    def _with_heading(self, line: ComposedLine) -> str:
        is_first = line.section not in self._sections
        return f"# {BY_NAME[line.section].title}\n{line.text}" if is_first else line.text

    def _take(self, line: ComposedLine) -> None:
        kind = line.candidate.row.kind
        self.budget.spend(self._with_heading(line))
        self._sections.add(line.section)
        self._lines[kind] = self._lines.get(kind, 0) + 1
        self.taken.append(line)

    def render(self, more: int) -> str:
        """The fenced text, by section, best first, and what was left out, counted.

        Args:
            more: pinned memories left out.
        """
        places = {section.name: place for place, section in enumerate(SECTIONS)}
        self.taken.sort(key=lambda line: (places[line.section], _order(line)))
        self._sections.clear()
        body: list[str] = []
        for line in self.taken:
            body.append(self._with_heading(line))
            self._sections.add(line.section)
        for line in self.missed:
            if line.crowded_out and not line.text:
                line.why, line.crowded_out = _INCOMPLETE, False
        left = sum(line.crowded_out and self._lasts(line) for line in self.missed)
        counted = [f"{more} more pinned"] if more else []
        if left and self.budget.tokens >= 0:
            counted.append(f"{left} more without room")
        if counted and body:
            body.append(f"{', '.join(counted)}: `cortex surface --explain` lists them.")
        return wording.fenced("\n".join([*body, *self.closing] if body else []))


def _is_own_rule(line: ComposedLine) -> bool:
    """Whether the user wrote it by hand as a rule: it arrives as it was written."""
    return line.section == ALWAYS.name and is_by_hand(line.candidate.row.rule)


_PRECEDENCE: Sequence[Callable[[ComposedLine], bool]] = (
    lambda line: line.section == STOPPED.name,
    lambda line: _is_own_rule(line) and line.candidate.row.priority > MINOR,
    lambda line: line.candidate.row.priority >= IMPORTANT,
    _is_own_rule,
)
"""What is taken before all shares, in this order."""


def _precedence(line: ComposedLine) -> int:
    return next((n for n, holds in enumerate(_PRECEDENCE) if holds(line)), len(_PRECEDENCE))


def _standing(line: ComposedLine) -> tuple[bool, bool, float]:
    """Which of two contrary lines counts: what the user pinned, what is in force, what is newer."""
    row = line.candidate.row
    return row.pinned, applies_always(row.rule), row.created


def _repeats(line: ComposedLine, says: str, id: str) -> None:
    """Note that `line` is left out because of what the memory `id` says."""
    line.why, line.same = f"{says} {id[: wording.ID_LENGTH]}", id


def _crowded_out(line: ComposedLine, why: str) -> ComposedLine:
    """`line`, with the note that it is left out for lack of room."""
    line.why, line.crowded_out = why, True
    return line


_COUNTS = "{} more pinned, {} more without room: `cortex surface --explain` lists them."
"""The line that counts what was left out, for which room is reserved."""

_SESSIONS = "`cortex sessions WORDS` finds what was said in past sessions."


class Layer(LightRecord):
    """The candidates of one layer, best first, and its limits."""

    name: str
    why: str
    """Why its lines are injected."""
    heading: str
    """The line above the others; empty for none."""
    candidates: Sequence[SurfaceCandidate]
    tokens: int
    """Most tokens of the layer."""
    lines: int = 100
    """Most lines of the layer."""


def compose_list(layers: Sequence[Layer], tokens: int, header: str) -> Composition:
    """The text of `layers` within `tokens`, under `header`; what did not fit is among `missed`."""
    budget = wording.Budget(tokens)
    budget.spend(wording.fenced("-", header))
    taken: list[ComposedLine] = []
    missed: list[ComposedLine] = []
    body: list[str] = []
    seen: set[str] = set()
    for layer in layers:
        # Each layer has a limit of its own within what the layers before it left.
        own = wording.Budget(min(layer.tokens, budget.tokens), budget.units)
        count = 0
        for candidate in layer.candidates:
            if candidate.row.content_hash in seen:
                continue
            line = ComposedLine(candidate, layer.name, layer.why)
            if candidate.refused:
                line.why = candidate.refused
                missed.append(line)
                continue
            above = f"{layer.heading}\n" if layer.heading and not count else ""
            if count >= layer.lines or not own.fits(above + line.text):
                why = f"the {layer.tokens} tokens" if count < layer.lines else f"{count} lines"
                missed.append(_crowded_out(line, f"{why} for this are full"))
                continue
            words = above + line.text
            own.spend(words)
            budget.spend(words)
            body.append(words)
            taken.append(line)
            seen.add(candidate.row.content_hash)
            count += 1
    return Composition(wording.fenced("\n".join(body), header), taken, missed)

"""Choosing what is injected and composing the text: at a start, with a prompt, for a file.

SQL picks some hundreds of candidates by a close estimate of their importance. What follows is pure:
the same candidates and settings give the same bytes, with no time and no count in them.
"""

from __future__ import annotations

from math import log, pow

from cortex_core.base import decay, text
from cortex_core.search import importance
from cortex_core.surface import wording
from cortex_core.surface.given import Injection
from cortex_core.surface.wording import MOST_UNITS, Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from cortex_core.base.kinds import Kinds
    from cortex_core.store.surface_reader import SurfaceReader, SurfaceRow

MOST = 250
"""Rows that are scored exactly, apart from the baseline, central ones, and those of the context."""

MOST_BASELINE = 120
"""Rows of the baseline's kinds that are scored exactly."""

MOST_HERE = 60
"""Rows of the branch, and rows of the folder, that are scored exactly."""

TRUNKS = frozenset({"", "main", "master", "trunk", "develop", "dev"})
"""Branches whose names say nothing about the task."""


class WorkContext:
    """The branch and folder that a session works in."""

    __slots__ = ("branch", "folder")

    def __init__(self, branch: str = "", folder: str = "") -> None:
        self.branch = branch
        self.folder = folder
        """Relative to the project's root, with `/`; empty at the root."""


class SurfaceCandidate:
    """A memory that may be injected, and its score."""

    __slots__ = ("here", "parts", "row", "score")

    def __init__(self, row: SurfaceRow, parts: Mapping[str, float], here: bool = False) -> None:
        self.row = row
        self.parts = parts
        """Named shares of the score."""
        self.score = sum(parts.values())
        """0 to 1.1 if the score is an importance."""
        self.here = here
        """Whether it belongs to this branch or to files of this folder."""


def candidates(
    store: SurfaceReader, context: WorkContext, kinds: Kinds, now: float
) -> list[SurfaceCandidate]:
    """The memories of `store` that may be injected, unordered.

    Args:
        now: the time for which confidence is computed, Unix seconds.
    """
    chosen = dict.fromkeys(_chosen(store, context, kinds, now))
    chosen.update(dict.fromkeys(name for name, _ in store.hubs))
    rows = [row for row in store.injectable(chosen, central=True) if row.inject == "normal"]
    return of_rows(store, rows, context, kinds, now)


def of_rows(
    store: SurfaceReader, rows: Sequence[SurfaceRow], context: WorkContext, kinds: Kinds, now: float
) -> list[SurfaceCandidate]:
    """The importance of each of `rows`, read from `store`, for a session in `context`."""
    most = log(store.most_accessed + 1) if rows else 0.0
    return [_scored(row, context, kinds, now, most) for row in rows]


def baseline(candidates: Sequence[SurfaceCandidate], kinds: Kinds) -> list[str]:
    """The ids of the memories that every session gets, best first.

    No kind has more of them than it may have lines in the surface.
    """
    left = {kind.name: kind.surface_lines for kind in kinds if kind.baseline}
    ids = []
    for candidate in best_first(candidates):
        row = candidate.row
        if row.pinned or left.get(row.kind, 0) > 0:
            left[row.kind] = left.get(row.kind, 0) - 1
            ids.append(row.id)
    return ids


def best_first(candidates: Sequence[SurfaceCandidate]) -> list[SurfaceCandidate]:
    """By score; of equal ones the project's own first, then by id."""
    return sorted(
        candidates,
        key=lambda candidate: (
            -candidate.score, candidate.row.scope != "project", candidate.row.id,
        ),
    )  # fmt: skip


def _chosen(store: SurfaceReader, context: WorkContext, kinds: Kinds, now: float) -> list[str]:
    """The ids of what is scored exactly: the best of all, of the baseline, of the context."""
    baseline = [kind.name for kind in kinds if kind.baseline]
    picks: list[tuple[str, Sequence[Any], int]] = [
        ("1", (), MOST),
        (f"kind IN ({','.join('?' * len(baseline))})", baseline, MOST_BASELINE),
    ]
    if context.branch not in TRUNKS:
        picks.append(("branch = ?", (context.branch,), MOST_HERE))
    if context.folder:
        picks.append(("files || globs LIKE ?", (f"%{context.folder}/%",), MOST_HERE))
    store.lend_functions(pow=(2, pow), ln=(1, log))
    expression = importance.sql(context.branch, kinds, now, log(store.most_accessed + 1))
    return store.best(expression, picks)


def _scored(
    row: SurfaceRow, context: WorkContext, kinds: Kinds, now: float, max_log: float
) -> SurfaceCandidate:
    confidence = decay.confidence(
        row.initial_confidence, row.reinforced, now, kinds.pace(row.kind),
        priority=row.priority, access_count=row.access_count, centrality=row.centrality,
        pinned=row.pinned,
    )  # fmt: skip
    same_branch = bool(row.branch) and row.branch == context.branch
    parts = importance.parts(
        confidence, row.priority, row.centrality, row.access_count, max_log,
        same_branch=same_branch,
    )  # fmt: skip
    here = (same_branch and row.branch not in TRUNKS) or _below(row, context.folder)
    return SurfaceCandidate(row, parts, here)


def _below(row: SurfaceRow, folder: str) -> bool:
    """Whether the memory is about files in the folder."""
    return bool(folder) and any(
        name.startswith(folder + "/") or f"/{folder}/" in name for name in (*row.files, *row.globs)
    )


TIERS = (
    ("critical", "Always", 0.5),
    ("here", "This branch and these files", 0.25),
    ("known", "Also known", 0.2),
    ("code", "Code", 0.05),
)
"""Name, heading, and share of the tokens reserved for each tier; the rest is shared."""

WORTH_THE_REST = 0.5
"""Importance from which a line may use the last part of the budget."""

ALWAYS_FILLED = 0.6
"""Share of the budget that is filled whatever the importance: 300 of 500 tokens."""

SHORTEST = 10
"""Tokens; with fewer left no line is tried any more."""

PATIENCE = 20
"""Lines that are too long in a row after which no shorter one is tried."""


class ComposedLine:
    """One line that is injected, or just missed, and why. Its text is written on first use."""

    __slots__ = ("_text", "_tokens", "candidate", "tier", "why")

    def __init__(self, candidate: SurfaceCandidate, tier: str, why: str = "") -> None:
        self.candidate = candidate
        self.tier = tier
        self.why = why
        self._text = ""
        self._tokens = -1

    @property
    def text(self) -> str:
        """The text of the line."""
        if not self._text:
            row = self.candidate.row
            self._text = wording.line(row.id, row.title, row.content, whole=row.pinned)
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text
        self._tokens = -1

    @property
    def tokens(self) -> int:
        """About how many tokens the line takes."""
        if self._tokens < 0:
            self._tokens = text.tokens(self.text)
        return self._tokens


class Composition:
    """A composed text, its lines, and the candidates that just missed."""

    __slots__ = ("lines", "missed", "text", "tokens", "units")

    def __init__(
        self, words: str, lines: Sequence[ComposedLine], missed: Sequence[ComposedLine]
    ) -> None:
        self.text = words
        self.lines = tuple(lines)
        self.missed = tuple(missed)
        self.tokens = text.tokens(words)
        self.units = text.utf16_units(words)

    @property
    def injection(self) -> Injection:
        """What a hook needs to inject it."""
        return Injection(self.text, [line.candidate.row.id for line in self.lines], self.tokens)


def compose(
    candidates: Sequence[SurfaceCandidate],
    kinds: Kinds,
    tokens: int,
    *,
    duplicates: Mapping[str, str] | None = None,
    known: Callable[[str], bool] = lambda _: False,
) -> Composition:
    """The surface made of `candidates` within about `tokens` tokens.

    Args:
        duplicates: for the lesser memory of each open merge proposal the better one.
        known: whether Claude Code injects a content by itself.
    """
    filling = _Filling(kinds, tokens)
    lines = filling.distinct(best_first(candidates), duplicates or {}, known)
    more = filling.pin([line for line in lines if line.candidate.row.pinned])
    filling.fill([line for line in lines if not line.candidate.row.pinned])
    return Composition(filling.render(more), filling.taken, filling.missed)


def _tier(candidate: SurfaceCandidate, kinds: Kinds) -> str:
    row = candidate.row
    if row.pinned:
        return "critical"
    if row.kind == "code_description":
        return "code"
    if candidate.here:
        return "here"
    return "critical" if kinds.known(row.kind).baseline else "known"


class _Filling:
    """The state of filling one surface."""

    def __init__(self, kinds: Kinds, tokens: int) -> None:
        self.kinds = kinds
        self.tokens = tokens
        self.budget = Budget(tokens, MOST_UNITS - _COUNT_LINE_UNITS)
        self.budget.spend(wording.fenced("-"))
        self.taken: list[ComposedLine] = []
        self.missed: list[ComposedLine] = []
        self._lines: dict[str, int] = {}
        self._headings: dict[tuple[str, str], None] = {}

    def distinct(
        self,
        candidates: Sequence[SurfaceCandidate],
        duplicates: Mapping[str, str],
        known: Callable[[str], bool],
    ) -> list[ComposedLine]:
        """A line for each candidate that does not repeat another."""
        first_with: dict[str, str] = {}
        ids = {candidate.row.id for candidate in candidates}
        lines = []
        for candidate in candidates:
            row = candidate.row
            line = ComposedLine(candidate, _tier(candidate, self.kinds))
            same = first_with.setdefault(row.content_hash, row.id)
            better = duplicates.get(row.id, row.id)
            if better != row.id and better in ids and not row.pinned:
                line.why = f"may say the same as {better[: wording.ID_LENGTH]}, which ranks higher"
            elif same != row.id:
                line.why = f"says the same as {same[: wording.ID_LENGTH]}"
            elif not row.pinned and known(row.content):
                line.why = "Claude's own memory says it already"
            if line.why:
                self.missed.append(line)
            else:
                lines.append(line)
        return lines

    def pin(self, lines: Sequence[ComposedLine]) -> int:
        """Take every pinned line, whole if the cap allows, else as its title.

        Returns:
            How many did not fit at all.
        """
        shortened: list[tuple[ComposedLine, str]] = []
        left = 0
        for line in lines:
            row, whole = line.candidate.row, line.text
            line.text = wording.heading_line(row.id, row.title, row.content)
            if self.budget.fits_cap(self._with_headings(line)):
                line.why = "pinned, shortened to its title"
                self._take(line)
                shortened.append((line, whole))
            else:
                line.why = "pinned, but beyond Claude Code's limit: counted"
                self.missed.append(line)
                left += 1
        for line, whole in shortened:
            gain = text.utf16_units(whole) - text.utf16_units(line.text)
            if gain <= self.budget.units:
                self.budget.units -= gain
                self.budget.tokens -= text.tokens(whole) - line.tokens
                line.text, line.why = whole, "pinned"
        return left

    def fill(self, lines: Sequence[ComposedLine]) -> None:
        """Fill the share of each tier, then the rest with the best lines of all tiers."""
        rest: list[ComposedLine] = []
        start = self.budget.tokens
        for name, _, share in TIERS:
            allowance = self.budget.tokens - start * share
            own = [line for line in lines if line.tier == name]
            rest += self._fill(own, allowance, within_kind=True)
        rest.sort(key=lambda line: (-line.candidate.score, line.candidate.row.id))
        self.missed += self._fill(rest, 0, within_kind=False)

    def _fill(
        self, lines: Sequence[ComposedLine], allowance: float, within_kind: bool
    ) -> list[ComposedLine]:
        """Take what fits until only `allowance` tokens are left; returns what was not taken."""
        left = []
        refused = 0
        for line in lines:
            room = self.budget.tokens - allowance
            if refused >= PATIENCE or room < SHORTEST or line.tokens > room:
                line.why = f"the {self.tokens} tokens are full"
                refused += 1
                left.append(line)
            elif (within_kind and not self._within_kind(line)) or not self._try(line):
                left.append(line)
        return left

    def _within_kind(self, line: ComposedLine) -> bool:
        kind = line.candidate.row.kind
        return self._lines.get(kind, 0) < self.kinds.known(kind).surface_lines

    def _try(self, line: ComposedLine) -> bool:
        """Take `line` if it fits and is worth its tokens; otherwise note why not."""
        kind = line.candidate.row.kind
        spent = self.tokens - self.budget.tokens
        score = line.candidate.score
        if not self.kinds.known(kind).surface_lines:
            line.why = f"{kind} has no lines in the surface"
        elif not self.budget.fits(self._with_headings(line)):
            line.why = f"the {self.tokens} tokens are full"
        elif spent > self.tokens * ALWAYS_FILLED and score < WORTH_THE_REST:
            line.why = (
                f"its importance {score:.2f} is below {WORTH_THE_REST}, which the last tokens "
                "require"
            )
        elif not self._within_kind(line) and score < WORTH_THE_REST:
            line.why = f"the lines for {kind} are full"
        else:
            line.why = f"{line.tier}: importance {score:.2f}"
            self._take(line)
            return True
        return False

    def _with_headings(self, line: ComposedLine) -> str:
        return "\n".join([*self._new_headings(line), line.text])

    def _new_headings(self, line: ComposedLine) -> list[str]:
        kind = line.candidate.row.kind
        headings = []
        if not any(tier == line.tier for tier, _ in self._headings):
            headings.append(_TITLES[line.tier])
        if (line.tier, kind) not in self._headings:
            headings.append(f"{wording.shortened(wording.quoted(kind), 40)}:")
        return headings

    def _take(self, line: ComposedLine) -> None:
        kind = line.candidate.row.kind
        self.budget.spend(self._with_headings(line))
        self._headings[line.tier, kind] = None
        self._lines[kind] = self._lines.get(kind, 0) + 1
        self.taken.append(line)

    def render(self, more: int) -> str:
        """The fenced text, by tier, then by kind, best first. `more`: pinned memories left out."""
        order = {kind.name: index for index, kind in enumerate(self.kinds)}
        tiers = {name: index for index, (name, _, _) in enumerate(TIERS)}

        def key(line: ComposedLine) -> tuple[int, int, str, bool, float, str]:
            row = line.candidate.row
            return (
                tiers[line.tier], order.get(row.kind, len(order)), row.kind, not row.pinned,
                -line.candidate.score, row.id,
            )  # fmt: skip

        self.taken.sort(key=key)
        self._headings.clear()
        body: list[str] = []
        for line in self.taken:
            body += [*self._new_headings(line), line.text]
            self._headings[line.tier, line.candidate.row.kind] = None
        if more:
            body.append(f"{more} more pinned: `cortex list` shows them.")
        return wording.fenced("\n".join(body))


_TITLES = {name: f"# {title}" for name, title, _ in TIERS}

_COUNT_LINE_UNITS = 60
"""UTF-16 units reserved for the line that counts pinned memories beyond the cap."""


class Layer:
    """The candidates of one layer, best first, and its limits."""

    __slots__ = ("candidates", "heading", "lines", "name", "tokens")

    def __init__(
        self,
        name: str,
        heading: str,
        candidates: Sequence[SurfaceCandidate],
        tokens: int,
        lines: int = 100,
    ) -> None:
        self.name = name
        self.heading = heading
        """The line above the others; empty for none."""
        self.candidates = candidates
        self.tokens = tokens
        """Most tokens of the layer."""
        self.lines = lines
        """Most lines of the layer."""


def compose_list(layers: Sequence[Layer], tokens: int, header: str) -> Composition:
    """The text of `layers` within `tokens`, under `header`; what did not fit is among `missed`."""
    budget = Budget(tokens)
    budget.spend(wording.fenced("-", header))
    taken: list[ComposedLine] = []
    missed: list[ComposedLine] = []
    body: list[str] = []
    seen: set[str] = set()
    for layer in layers:
        own = Budget(min(layer.tokens, budget.tokens), budget.units)
        count = refused = 0
        for candidate in layer.candidates:
            if candidate.row.content_hash in seen:
                continue
            line = ComposedLine(candidate, layer.name, f"{layer.name}: {candidate.score:.2f}")
            above = f"{layer.heading}\n" if layer.heading and not count else ""
            full = count >= layer.lines or own.tokens < SHORTEST or refused >= PATIENCE
            if full or not own.fits(above + line.text):
                refused += 1
                line.why = f"{layer.name}: {'no room' if count < layer.lines else 'enough lines'}"
                missed.append(line)
                continue
            words = above + line.text
            own.spend(words)
            budget.spend(words)
            body.append(words)
            taken.append(line)
            seen.add(candidate.row.content_hash)
            count += 1
    return Composition(wording.fenced("\n".join(body), header), taken, missed)

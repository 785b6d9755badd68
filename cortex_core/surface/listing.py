"""Lists given for an occasion, a prompt or a file: layers in order, within a budget. Pure."""

from __future__ import annotations

from typing import NamedTuple

from cortex_core.surface import wording
from cortex_core.surface.budget import Budget
from cortex_core.surface.compose import Composition, Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cortex_core.surface.ranking import Candidate


class Layer(NamedTuple):
    """What one layer would give, the best first."""

    name: str
    heading: str
    """The line above its lines; empty for none."""
    candidates: Sequence[Candidate]
    tokens: int
    """Most tokens of the layer."""
    lines: int = 100
    """Most lines of the layer."""


def compose(layers: Sequence[Layer], tokens: int, header: str) -> Composition:
    """The text of `layers` within `tokens`, under `header`; what did not fit is among `missed`."""
    budget = Budget(tokens)
    budget.spend(wording.fenced("-", header))
    taken: list[Line] = []
    missed: list[Line] = []
    body: list[str] = []
    seen: set[str] = set()
    for layer in layers:
        own = Budget(min(layer.tokens, budget.tokens), budget.units)
        count = 0
        for candidate in layer.candidates:
            line = _line(candidate, layer.name)
            if line.candidate.row.content_hash in seen:
                continue
            words = line.text if count else "\n".join(filter(None, (layer.heading, line.text)))
            if count < layer.lines and own.fits(words):
                own.spend(words)
                budget.spend(words)
                body.append(words)
                taken.append(line)
                seen.add(candidate.row.content_hash)
                count += 1
            else:
                line.why = f"{layer.name}: {'enough lines' if count >= layer.lines else 'no room'}"
                missed.append(line)
    return Composition(wording.fenced("\n".join(body), header), taken, missed)


def _line(candidate: Candidate, layer: str) -> Line:
    row = candidate.row
    words = wording.line(row.id, row.title, row.content)
    return Line(candidate, words, layer, f"{layer}: {candidate.score:.2f}")

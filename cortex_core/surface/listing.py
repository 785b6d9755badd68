"""Composing what is injected with a prompt or for a file: layers within a budget. Pure."""

from __future__ import annotations

from cortex_core.surface import wording
from cortex_core.surface.compose import PATIENCE, SHORTEST, ComposedLine, Composition
from cortex_core.surface.wording import Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cortex_core.surface.ranking import SurfaceCandidate


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


def compose(layers: Sequence[Layer], tokens: int, header: str) -> Composition:
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

"""The protocol of embedding models, and what they return."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Bits = NDArray[np.uint8]
else:
    Vector = Bits = Any  # numpy is loaded where there is something to calculate


class Encoded(NamedTuple):
    """A text to be stored, encoded."""

    vector: Vector
    """float32, unit length."""
    bits: bytes
    """One sign bit a dimension for each content wordpiece, in order; empty if a model has none."""
    pieces: tuple[int, ...]
    """Ids of these wordpieces, as many as there are rows of bits."""


class QueryEncoding(NamedTuple):
    """A query, encoded."""

    vector: Vector
    """float32, unit length."""
    tokens: Vector
    """One unit-length row of float32 for each content wordpiece; no rows where there are none."""
    pieces: tuple[int, ...]
    """Ids of these wordpieces."""


class Embedder(Protocol):
    """A model that turns text into vectors."""

    @property
    def name(self) -> str:
        """What its vectors are tagged with; two models never share a name."""

    @property
    def dimension(self) -> int:
        """Components of a vector."""

    def encode(self, text: str, before: str = "") -> Encoded:
        """The vectors of a text to be stored.

        Args:
            before: what was said just before: context that is not part of the text.
        """

    def query(self, text: str) -> QueryEncoding:
        """The vectors of a question."""

"""Any other model that fastembed knows, from a cache of Cortex's own.

Only `fetch` may use the network: it is what `models use` calls. Everywhere else a model that is not
on the disk is an error at once, where fastembed by itself would try for 39 seconds.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cortex_core.embedding.protocol import Encoded, QueryEncoding
from cortex_core.errors import WORDS_ONLY, ModelUnavailable
from cortex_core.one_thread import load_onnxruntime

if TYPE_CHECKING:
    from cortex_core.embedding.protocol import Vector

FOLDER = "models"
"""Where models are kept, below the global side."""


class FastembedModel:
    """A sentence model run by fastembed. It gives no token vectors."""

    def __init__(self, name: str, home: Path, *, download: bool = False) -> None:
        """Load the model `name`.

        Args:
            home: the global side's folder.
            download: whether it may be fetched from the network.

        Raises:
            ModelUnavailable: fastembed does not know it, or it cannot be had.
        """
        self.name = name
        self._model = _load(name, home / FOLDER, download=download)
        self.dimension = len(next(iter(self._model.embed(["dimension"]))))

    def encode(self, text: str, before: str = "") -> Encoded:
        """The vector of `text`; these models see nothing of what was said before."""
        return Encoded(_unit(next(iter(self._model.embed([text])))), b"", ())

    def query(self, text: str) -> QueryEncoding:
        """The vector of `text`, with the prefix that the model wants before a question."""
        import numpy as np

        vector = _unit(next(iter(self._model.query_embed([text]))))
        return QueryEncoding(vector, np.empty((0, self.dimension), np.float32), ())


def fetch(name: str, home: Path) -> FastembedModel:
    """Load the model `name`, from the network where it is not on the disk.

    Raises:
        ModelUnavailable: fastembed does not know it, or it cannot be fetched.
    """
    return FastembedModel(name, home, download=True)


def known() -> list[dict[str, Any]]:
    """What fastembed says of each model it knows."""
    text_embedding: Any = _library()
    models: list[dict[str, Any]] = text_embedding.list_supported_models()
    return models


def _load(name: str, cache: Path, *, download: bool) -> Any:
    text_embedding = _library()
    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        return text_embedding(name, cache_dir=str(cache), threads=2, local_files_only=not download)
    except Exception as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        advice = (
            "Check the name (cortex models list) and your connection."
            if download
            else f"Download it with: cortex models use {name}"
        )
        raise ModelUnavailable(
            f"The embedding model {name} cannot be loaded: {reason[:200]}. {WORDS_ONLY} {advice}"
        ) from problem


def _library() -> Any:
    """fastembed's class, with its logging quiet."""
    try:
        load_onnxruntime()
        from fastembed import TextEmbedding
        from loguru import logger
    except ImportError as problem:
        raise ModelUnavailable(
            f"fastembed cannot be imported ({problem}). {WORDS_ONLY} Reinstall cortex-memory to "
            "repair it."
        ) from problem
    logger.disable("fastembed")
    return TextEmbedding


def _unit(vector: Any) -> Vector:
    import numpy as np

    made: Vector = np.asarray(vector, np.float32)
    return made / max(float(np.linalg.norm(made)), 1e-9)

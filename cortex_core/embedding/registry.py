"""Which embedding model is in force, and which there are."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.embedding import shipped
from cortex_core.embedding.names import SHIPPED
from cortex_core.project import global_side

if TYPE_CHECKING:
    from cortex_core.config import Config
    from cortex_core.embedding.protocol import Embedder


class Available(NamedTuple):
    """A model that may be chosen."""

    name: str
    dimension: int
    megabytes: int
    """To download; 0 for the model of the package."""
    about: str


def default(config: Config, home: str | None = None) -> Embedder:
    """The configured model, loaded once a process.

    Args:
        home: the global side's folder, where other models than the shipped one are kept.

    Raises:
        ModelUnavailable: it cannot be loaded; the message says what to do.
    """
    return named(config.get("embedding.model"), home)


def named(name: str, home: str | None = None) -> Embedder:
    """The model called `name`, loaded once a process.

    Raises:
        ModelUnavailable: it cannot be loaded; the message says what to do.
    """
    if name == SHIPPED:
        return shipped.shipped()
    return _other(name, global_side(home))


def tag(name: str) -> str:
    """What the vectors of the model that the configuration calls `name` are tagged with."""
    return shipped.NAME if name == SHIPPED else name


def fetch(name: str, home: str | None = None) -> Embedder:
    """The model called `name`, downloaded where it is not there yet.

    Raises:
        ModelUnavailable: it is unknown, or can be neither found nor fetched.
    """
    if name == SHIPPED:
        return shipped.shipped()
    from cortex_core.embedding import fastembed_model

    return fastembed_model.fetch(name, Path(global_side(home)))


def available() -> list[Available]:
    """Every model that may be chosen, the shipped one first.

    Raises:
        ModelUnavailable: fastembed, which knows the others, cannot be imported.
    """
    from cortex_core.embedding import fastembed_model

    ours = Available(SHIPPED, shipped.DIMENSION, 0, "in the package, int8; also gives token bits")
    others = [
        Available(
            found["model"], int(found["dim"]), round(1000 * float(found["size_in_GB"])),
            str(found["description"]),
        )
        for found in fastembed_model.known()
        if found["model"] != SHIPPED
    ]  # fmt: skip
    return [ours, *sorted(others)]


@cache
def _other(name: str, home: str) -> Embedder:
    from cortex_core.embedding.fastembed_model import FastembedModel

    return FastembedModel(name, Path(home))

"""Which embedding model is in use, and which ones can be chosen."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.base.errors import ModelUnavailable
from cortex_core.base.project import global_side
from cortex_core.embeddings import local
from cortex_core.embeddings.names import SHIPPED, is_remote

if TYPE_CHECKING:
    from cortex_core.base.config import Config
    from cortex_core.embeddings.protocol import Embedder


class Available(NamedTuple):
    """A model that may be chosen."""

    name: str
    dimension: int
    megabytes: int
    """To download; 0 for the model of the package."""
    about: str


REMOTE = (
    Available("voyage:voyage-3.5-lite", 1024, 0, "remote: sends the texts of memories to Voyage"),
    Available(
        "gemini:gemini-embedding-001", 3072, 0, "remote: sends the texts of memories to Google"
    ),
    Available(
        "openai:text-embedding-3-small", 1536, 0, "remote: sends the texts of memories to OpenAI"
    ),
    Available("ollama:nomic-embed-text", 768, 0, "an Ollama on this machine"),
)
"""An example of each provider; any other model of theirs can be named."""


def default(config: Config, home: str | None = None) -> Embedder:
    """The configured model, loaded once a process.

    Of several names, separated by commas, the first that can be loaded.

    Args:
        home: the global side's folder, where other models than the shipped one are kept.

    Raises:
        ModelUnavailable: none can be loaded; the message says what to do about the last.
    """
    *others, last = _chain(config.get("embedding.model"))
    for name in others:
        try:
            return named(name, home)
        except ModelUnavailable:
            continue
    return named(last, home)


def named(name: str, home: str | None = None) -> Embedder:
    """The model called `name`, loaded once a process.

    Raises:
        ModelUnavailable: it cannot be loaded; the message says what to do.
    """
    if name == SHIPPED:
        return local.shipped()
    return _other(name, global_side(home))


def _chain(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()] or [SHIPPED]


def sends(name: str) -> bool:
    """Whether a model that the configuration calls `name` sends texts to a provider."""
    return any(is_remote(one) for one in _chain(name))


def tag(name: str) -> str:
    """What the vectors of the model that the configuration calls `name` are tagged with.

    Of several names the first counts.
    """
    first = _chain(name)[0]
    return local.NAME if first == SHIPPED else first


def fetch(name: str, home: str | None = None) -> Embedder:
    """The model called `name`, downloaded where it is not there yet; a remote one is asked once.

    Of several names the first counts.

    Raises:
        ModelUnavailable: it is unknown, or can be neither found nor fetched.
    """
    first = _chain(name)[0]
    if first == SHIPPED:
        return local.shipped()
    if is_remote(first):
        from cortex_core.embeddings.remote import RemoteModel

        model = RemoteModel(first)
        model.query("Is anybody there?")
        return model
    return local.fetch(first, Path(global_side(home)))


def available() -> list[Available]:
    """Every model that may be chosen, the shipped one first.

    Raises:
        ModelUnavailable: fastembed, which knows the others, cannot be imported.
    """
    ours = Available(SHIPPED, local.DIMENSION, 0, "in the package, int8; also gives token bits")
    others = [
        Available(
            each["model"], int(each["dim"]), round(1000 * float(each["size_in_GB"])),
            str(each["description"]),
        )
        for each in local.known()
        if each["model"] != SHIPPED
    ]  # fmt: skip
    return [ours, *sorted(others), *REMOTE]


@cache
def _other(name: str, home: str) -> Embedder:
    if is_remote(name):
        from cortex_core.embeddings.remote import RemoteModel

        return RemoteModel(name)
    return local.FastembedModel(name, Path(home))

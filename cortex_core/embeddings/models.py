"""Which embedding model is in use, and which ones can be chosen."""

import os
from functools import cache
from pathlib import Path

from cortex_core.base.errors import ModelUnavailable
from cortex_core.base.project import global_side
from cortex_core.embeddings import local, outages
from cortex_core.embeddings.names import MULTILINGUAL, SHIPPED, is_remote
from cortex_core.embeddings.protocol import Embedder

OFFERED = (
    (SHIPPED, local.DIMENSION, "English; in the package, int8; also gives token bits"),
    (MULTILINGUAL, 384, "about 50 languages, 128 tokens (220 MB to download)"),
    ("voyage:voyage-3.5-lite", 1024, "remote: sends the texts of memories to Voyage"),
    ("gemini:gemini-embedding-001", 3072, "remote: sends the texts of memories to Google"),
    ("openai:text-embedding-3-small", 1536, "remote: sends the texts of memories to OpenAI"),
    ("ollama:nomic-embed-text", 768, "an Ollama on this machine"),
)
"""The models that are offered, with dimension and description: the shipped one, the one for other
languages, and an example of each provider. Any other of theirs, or of fastembed's, can be named."""


def in_force(names: str, home: str, now: float) -> tuple[Embedder, str]:
    """The first model of a chain that can be used, loaded once a process.

    Args:
        names: as the configuration has them; the shipped model follows all others.
        home: the global side's folder, where other models than the shipped one are kept.

    Raises:
        ModelUnavailable: not even the shipped model can be loaded.
    """
    *others, last = chain(names)
    why = ""
    for name in others:
        reason = outages.reason(home, name, now)
        if not reason:
            try:
                return named(name, home), _instead(why, name)
            except ModelUnavailable as problem:
                outages.note(home, name, problem, now)
                reason = outages.reason(home, name, now)
        why = why or f"The embedding model {name} cannot be used ({reason})"
    return named(last, home), _instead(why, last)


def _instead(why: str, name: str) -> str:
    return why and f"{why}, so {name} is used instead."


def tag_in_force(names: str, home: str, now: float) -> str:
    """The tag of the model that is used now, as far as that is known without loading one."""
    *others, last = chain(names)
    fit = (name for name in others if not outages.reason(home, name, now))
    return _tag(next((name for name in fit if not is_remote(name) or _has_key(name)), last))


def _has_key(name: str) -> bool:
    from cortex_core.embeddings.remote import PROVIDERS

    key = PROVIDERS[name.partition(":")[0]].key
    return not key or bool(os.environ.get(key))


def named(name: str, home: str | None = None) -> Embedder:
    """The model called `name`, loaded once a process.

    Raises:
        ModelUnavailable: it cannot be loaded; the message says what to do.
    """
    if name == SHIPPED:
        return local.shipped()
    return _other(name, global_side(home))


def chain(names: str) -> list[str]:
    """The names in a setting, separated by commas, and the shipped model after all others."""
    listed = [name.strip() for name in names.split(",") if name.strip()]
    return [*listed, *([] if SHIPPED in listed else [SHIPPED])]


def tags(names: str) -> list[str]:
    """The tags of every model of a chain."""
    return [_tag(name) for name in chain(names)]


def sends(name: str) -> bool:
    """Whether a model that the configuration calls `name` sends texts to a provider."""
    return any(is_remote(one) for one in chain(name))


def tag(name: str) -> str:
    """What the vectors of the model that the configuration calls `name` are tagged with.

    Of several names the first counts.
    """
    return _tag(chain(name)[0])


def _tag(name: str) -> str:
    return local.NAME if name == SHIPPED else name


def fetch(name: str, home: str | None = None) -> Embedder:
    """The model called `name`, downloaded where it is not there yet; a remote one is asked once.

    Of several names the first counts.

    Raises:
        ModelUnavailable: it is unknown, or can be neither found nor fetched.
    """
    first = chain(name)[0]
    outages.forget(global_side(home), first)
    if first == SHIPPED:
        return local.shipped()
    if is_remote(first):
        from cortex_core.embeddings.remote import RemoteModel

        model = RemoteModel(first)
        model.query("Is anybody there?")
        return model
    return local.FastembedModel(first, Path(global_side(home)), download=True)


@cache
def _other(name: str, home: str) -> Embedder:
    if is_remote(name):
        from cortex_core.embeddings.remote import RemoteModel

        return RemoteModel(name)
    return local.FastembedModel(name, Path(home))

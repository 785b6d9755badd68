"""The names of embedding models, in a module that loads nothing else."""

SHIPPED = "sentence-transformers/all-MiniLM-L6-v2"
"""The shipped model's name in the configuration."""

SHIPPED_TAG = f"{SHIPPED}:int8"
"""The tag of its vectors in a store."""

MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
"""The model that is offered for memories in other languages than English: the smallest to download
of those in fastembed's list that run everywhere and need no prefixes."""

REMOTE_PROVIDERS = ("voyage", "gemini", "openai", "ollama")
"""Providers whose models are named `PROVIDER:MODEL`; texts are sent to them."""


def is_remote(name: str) -> bool:
    """Whether `name` is `PROVIDER:MODEL`."""
    return name.partition(":")[0] in REMOTE_PROVIDERS

"""What embedding models are called. Apart, so that a name is known without loading anything."""

from __future__ import annotations

SHIPPED = "sentence-transformers/all-MiniLM-L6-v2"
"""In the configuration."""

SHIPPED_TAG = f"{SHIPPED}:int8"
"""On its vectors."""

REMOTE_PROVIDERS = ("voyage", "gemini", "openai", "ollama")
"""Those whose models are named `PROVIDER:MODEL`; texts are sent to them."""


def is_remote(name: str) -> bool:
    """Whether `name` is `PROVIDER:MODEL`."""
    return name.partition(":")[0] in REMOTE_PROVIDERS

"""Texts as they may be stored and shown: without control characters, private text and secrets."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cortex_core.base import text
from cortex_core.base.config import Config
from cortex_core.records.memory import Context, Source
from cortex_core.redaction import redactor, secrets


def cleaned(value: str, config: Config) -> str:
    """`value` without control characters, private spans and secrets; spaces around it stay."""
    kept = secrets.strip_private(text.clean(value))
    return redactor.shared(tuple(config.get("redact.extra"))).text(kept)


def redacted(value: str, config: Config) -> str:
    """`value` without control characters, private spans, secrets, and spaces around it."""
    return cleaned(value, config).strip()


def redacted_all(value: Any, config: Config) -> Any:
    """`value`, a text or lists, mappings and dataclasses of such, with every text redacted."""
    if isinstance(value, str):
        kept = redacted(value, config)
        return value if kept == value.strip() else kept
    if isinstance(value, Mapping):
        return {name: redacted_all(each, config) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(redacted_all(each, config) for each in value)
    if isinstance(value, Source | Context):
        texts = {name: redacted_all(getattr(value, name), config) for name in value.__slots__}
        return replace(value, **texts)
    return value

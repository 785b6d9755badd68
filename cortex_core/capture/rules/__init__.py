"""The offline rules: which sentences, commits and answers of a session are worth keeping."""

from __future__ import annotations

from cortex_core.capture.rules.extract import extract
from cortex_core.capture.rules.registry import BY_NAME, RULES, Rule

__all__ = ["BY_NAME", "RULES", "Rule", "extract"]

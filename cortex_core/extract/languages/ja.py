"""Japanese."""

from __future__ import annotations

from cortex_core.extract.grammar import Grammar, whole

GRAMMAR = Grammar(code="ja", empty=whole("a"))

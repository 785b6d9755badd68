"""Portuguese."""

from __future__ import annotations

from cortex_core.extract.grammar import Grammar, whole

GRAMMAR = Grammar(code="pt", empty=whole("a"))

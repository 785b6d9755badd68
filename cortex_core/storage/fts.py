"""The full-text index as a search sees it: its columns and what a word counts in each.

Standard library only: the hooks load this module.
"""

from __future__ import annotations

FTS_COLUMNS = ("title", "content", "tags", "context", "excerpt")
"""Columns of `memory_fts`, in the order that bm25() weights them."""

FTS_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 0.2)
"""An excerpt's words find a memory, but count little."""

BM25 = f"bm25(memory_fts, {', '.join(map(str, FTS_WEIGHTS))})"
"""SQLite's score of a match: lower, below zero, is better."""

"""The coding agents that Cortex works with: a package for each, and what Cortex asks of it."""

AGENTS = ("claude",)
"""The packages here, the one first whose transcripts are read where none recognises a file."""

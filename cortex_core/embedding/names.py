"""What the shipped model is called. Apart, so that the hooks know it without loading anything."""

from __future__ import annotations

SHIPPED = "sentence-transformers/all-MiniLM-L6-v2"
"""In the configuration."""

SHIPPED_TAG = f"{SHIPPED}:int8"
"""On its vectors."""

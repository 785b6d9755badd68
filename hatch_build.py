"""Puts top-level folders where the installed packages look for them.

Editable installs read the checkout itself, so nothing is copied for them: a copy would go stale.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = {
    "styles": "cortex_tui/styles",
    "hooks": "cortex_core/hooks",
    "skills": "cortex_core/skills",
}
"""Folder of the checkout, and its place in the wheel."""


class ShipFolders(BuildHookInterface[Any]):
    """Maps `SHIPPED` into every build but an editable one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folders that exist; one without files has nothing to ship."""
        if version == "editable":
            return
        present = {
            source: target
            for source, target in SHIPPED.items()
            if any(path.is_file() for path in Path(self.root, source).rglob("*"))
        }
        build_data["force_include"].update(present)

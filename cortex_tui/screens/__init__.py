"""The screens, and which of them can be gone to from anywhere."""

from __future__ import annotations

SCREENS = {
    "review": "cortex_tui.screens.review:ReviewScreen",
    "surface": "cortex_tui.screens.surface:SurfaceScreen",
    "capture": "cortex_tui.screens.capture:CaptureScreen",
    "settings": "cortex_tui.screens.settings:SettingsScreen",
}
"""The screens that can be gone to from anywhere, loaded when they are."""

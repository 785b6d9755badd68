"""The line at the top: which project, when capture last ran, what waits for the person."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from cortex_core import text
from cortex_core.reports import Status
from cortex_tui.glyphs import Look

Part = tuple[int, str, str]
"""Rank (the highest goes first when room is short), words, style."""


def captured(status: Status, look: Look, now: float) -> tuple[str, str]:
    """When the last capture was, in words, and its style."""
    glyphs, last = look.glyphs, status.last_capture
    if status.paused:
        return f"{glyphs.waiting} capture paused", "$text-warning"
    if last is None:
        return f"{glyphs.waiting} nothing captured yet", "$muted"
    if status.failures:
        return f"{glyphs.status['quarantined']} {status.failures} captures failed", "$text-error"
    ago = text.ago(last.time, now)
    return f"{glyphs.dot} captured {ago if ago == 'now' else ago + ' ago'}", "$muted"


def parts(status: Status, look: Look, now: float) -> list[Part]:
    """What the strip says between the project's name and the number of memories."""
    glyphs = look.glyphs.status
    words, style = captured(status, look, now)
    found: list[Part] = [(2, words, style)]
    if not status.trusted:
        found.append((0, f"{glyphs['quarantined']} not trusted: cortex trust", "$text-warning"))
    if status.to_review:
        found.append((1, f"{status.to_review:,} to review", "$text-accent"))
    if waiting := status.counts.get("suggested", 0):
        found.append((3, f"{glyphs['suggested']} {waiting:,} suggested", "$text-accent"))
    if held := status.counts.get("quarantined", 0):
        found.append((1, f"{glyphs['quarantined']} {held:,} quarantined", "$text-warning"))
    return found


def line(status: Status | None, look: Look, now: float, width: int) -> Content:
    """The whole strip in `width` cells; what matters least is left out first."""
    if status is None:
        return Content.assemble((" cortex", "$text-accent bold"))
    name = look.line(status.project or "global")
    where = f"{name} {look.glyphs.between} {look.line(status.branch)}" if status.branch else name
    total = status.counts.get("active", 0)
    right = f"{total:,} {'memory' if total == 1 else 'memories'} "
    middle = parts(status, look, now)

    def used() -> int:
        gaps = sum(cell_len(words) + 3 for _, words, _ in middle)
        return len(" cortex   ") + cell_len(where) + gaps + cell_len(right) + 1

    while middle and used() > width:
        middle.remove(max(middle))
    room = max(0, width - used())
    if not room and used() > width:
        where = where[: max(0, len(where) - (used() - width) - 1)] + look.glyphs.ellipsis
    return Content.assemble(
        (" cortex   ", "$text-accent bold"), (where, "bold"),
        *((f"   {words}", style) for _, words, style in middle),
        " " * (room + 1), (right, "$muted"),
    )  # fmt: skip


class CaptureStrip(Widget):
    """The status strip."""

    status: reactive[Status | None] = reactive(None)
    now: reactive[float] = reactive(0.0)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look

    def render(self) -> Content:
        return line(self.status, self.look, self.now, self.size.width)

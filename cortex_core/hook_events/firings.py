"""One event that two ways of installation send, such as the plugin and the settings file."""

import os
import time
from io import TextIOWrapper

from cortex_core.agents.hook_call import HookCall
from cortex_core.base import hook_io, hook_words
from cortex_core.base.project import Project, folder

FIRINGS_FOLDER = "fired"
WINDOW = 60.0
"""Seconds within which two notes mean one event: its hooks start at the same time."""

NOTES_KEPT = 86_400.0
"""Seconds that the notes of a session are kept."""

LARGEST_NOTES = 1 << 16
"""Bytes of a session's notes that are read; the file is restarted at half of it."""


def is_duplicate(project: Project, call: HookCall) -> bool:
    """Whether the plugin or other installed hooks handle this event; if not, this process does."""
    try:
        notes_folder = folder(project, FIRINGS_FOLDER)
        path = os.path.join(notes_folder, hook_io.sha256(call.session)[:32])
        descriptor = hook_io.opened(path, os.O_RDWR | os.O_CREAT)
    except Exception:
        return False
    with open(descriptor, "r+", encoding="utf-8", errors="replace") as notes:
        hook_io.lock(notes.fileno(), wait=True)
        if call.event == hook_words.START and not os.fstat(notes.fileno()).st_size:
            remove_old(notes_folder, NOTES_KEPT)  # no other event makes the user wait for it
        key, entry = hook_io.sha256(call.firing)[:32], hook_io.sha256(call.entry)[:16]
        return _note_firing(notes, key, entry)


def _note_firing(notes: TextIOWrapper, key: str, entry: str) -> bool:
    """Whether another entry has noted the event `key` just now; if not, note it for `entry`."""
    now = time.time()
    known = notes.read(LARGEST_NOTES)
    for line in known.splitlines():
        moment, _, rest = line.partition(" ")
        other, _, firing = rest.partition(" ")
        if firing == key and other != entry and abs(now - _number(moment)) < WINDOW:
            return True
    if len(known) >= LARGEST_NOTES // 2:
        notes.seek(0)
        notes.truncate()
    notes.write(f"{now:.3f} {entry} {key}\n")
    return False


def remove_old(path: str, seconds: float) -> None:
    """Remove the files of a folder that nobody has written for so long."""
    oldest = time.time() - seconds
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.stat().st_mtime < oldest:
                os.unlink(entry.path)


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return 0.0

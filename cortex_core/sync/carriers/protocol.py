"""What every carrier does, and which files it carries."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol

MOST_BYTES = 32 << 20
"""Bytes of the largest file that is carried; a larger one at the other end is ignored."""

MARKER = ".cortex-sync"
"""The file by which a carrier knows its folder: an unplugged disk leaves an empty one behind."""

MARKER_TEXT = b"Files of Cortex (cortex sync). Each machine adds files of its own.\n"

_WORD = r"[a-z0-9][a-z0-9-]{0,63}"
_ENTRIES = re.compile(rf"{_WORD}/{_WORD}/[0-9]{{1,12}}-[0-9a-f]{{8,64}}(\.[a-z]{{1,8}})?", re.ASCII)
_SHARED = re.compile(r"[a-z]{1,32}\.[a-z]{1,8}", re.ASCII)


class Carrier(Protocol):
    """Moves files between machines and knows nothing of what is in them.

    One process at a time uses carriers: `Remotes.lock`. A file is called
    `<store>/<writer>/<number>-<hash>` (with or without an ending), or, where all machines share
    it, by one word and an ending: `key.age`.

    Every method raises `SyncError` where the other end cannot be used.
    """

    def prepare(self) -> None:
        """Make the other end ready. Called once, when the remote is added."""

    def fetch(self) -> None:
        """Bring what is there within reach: the step that needs the network.

        Raises:
            NotReady: nothing is there yet; `prepare` may make it.
        """

    def other_branches(self) -> list[str]:
        """Branches at the other end that are none of Cortex's, as of a repository of code."""
        return []

    def names(self) -> list[str]:
        """Every file that was there at the last `fetch`, sorted; what is foreign is left out."""

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The files of these names, in any order; without those that are gone."""

    def publish(self, put: Mapping[str, bytes], remove: Collection[str] = ()) -> None:
        """Write files of this machine and remove others of them; doing it twice is harmless.

        A reader sees each file whole or not at all. What an interrupted call leaves open is done
        by the next one with the same arguments. A shared file is replaced.

        Raises:
            DivergedIdentity: another machine writes under this one's id.
        """

    def claim(self, name: str, data: bytes) -> bool:
        """Create a shared file unless it is there; False where another machine was first."""

    def forget_past(self) -> str:
        """Make old versions of this machine's files unreachable, as far as the carrier can.

        Returns:
            What the carrier still keeps and how to take it out, in a sentence; empty if nothing.
        """


def is_entry(name: str) -> bool:
    """Whether `name` is that of a file which one machine writes."""
    return _ENTRIES.fullmatch(name) is not None


def is_shared(name: str) -> bool:
    """Whether `name` is that of a file which all machines share."""
    return _SHARED.fullmatch(name) is not None


def is_carried(name: str) -> bool:
    """Whether a file of this name may be read; anything else at the other end is foreign."""
    return is_entry(name) or is_shared(name)


def is_folder(name: str) -> bool:
    """Whether `name` may be that of a store's or a writer's folder."""
    is_plain = name.isascii() and name == name.lower() and name.replace("-", "").isalnum()
    return is_plain and not name.startswith("-") and len(name) <= 64


def checked(put: Mapping[str, bytes], remove: Collection[str] = ()) -> None:
    """Refuse what no carrier may write.

    Raises:
        ValueError: a name that `is_carried` refuses, or more than `MOST_BYTES`: a defect of ours.
    """
    for name in (*put, *remove):
        if not is_carried(name):
            raise ValueError(f"not a name of a file to carry: {name!r}")
    for name, data in put.items():
        if len(data) > MOST_BYTES:
            raise ValueError(f"{name} has {len(data)} bytes, more than {MOST_BYTES}")

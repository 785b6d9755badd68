"""The interposed library: built with the C compiler of the machine, and set by the environment.

`interpose.c` says which calls it counts and what it can do at one of them.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).with_name("interpose.c")

FOR_GOOD = 1_000_000_000
"""The number of a call that no process reaches."""


def missing() -> str:
    """Why the library cannot be used on this machine; empty if it can."""
    if not sys.platform.startswith("linux"):
        return f"The interposed library needs Linux, and this is {sys.platform}."
    if compiler() is None:
        return "The interposed library needs a C compiler (cc), and there is none."
    return ""


def compiler() -> str | None:
    """The path of the C compiler; None if there is none."""
    return shutil.which("cc")


def built(folder: Path) -> Path:
    """The library, compiled into `folder` unless it is there.

    Raises:
        subprocess.CalledProcessError: the compiler refused the source.
    """
    library = folder / "interpose.so"
    if not library.exists():
        words = [compiler() or "cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE)]
        subprocess.run([*words, "-ldl"], check=True, capture_output=True)
    return library


class Fault(NamedTuple):
    """What to do at which of the calls that change a file; the default only counts them."""

    how: str = ""
    """`kill`, `torn` (half of the write, then the end), or the name of an errno."""
    at: int = 0
    """The first call to break, from 1; 0 for none."""
    last: int = 0
    """The last call to break; 0 for the first one alone."""
    only: str = ""
    """`sync` or `write`: leave calls of other types alone."""

    def __str__(self) -> str:
        through = f" to {self.last}" if self.last else ""
        only = f" if it is a {self.only}" if self.only else ""
        return f"{self.how} at call {self.at}{through}{only}" if self.at else "no fault"

    @property
    def ends(self) -> bool:
        """Whether the process is ended, and prints nothing."""
        return self.how in ("kill", "torn")

    def variables(self, below: Sequence[Path], state: Path) -> dict[str, str]:
        """The environment that tells the library, which counts in the file `state`."""
        state.write_bytes(bytes(16))
        how = self.how if self.ends or not self.how else str(getattr(errno, self.how))
        return {
            "FAULT_BELOW": os.pathsep.join(map(str, below)),
            "FAULT_STATE": str(state),
            "FAULT_AT": str(self.at),
            "FAULT_LAST": str(self.last or self.at),
            "FAULT_HOW": how,
            "FAULT_ONLY": self.only,
        }


NONE = Fault()
"""Only count."""


def counted(state: Path) -> tuple[int, int]:
    """The number of calls in a run that changed a file, and of those that were broken."""
    calls, broken = struct.unpack("qq", state.read_bytes())
    return calls, broken

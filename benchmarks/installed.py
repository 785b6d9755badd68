"""The product as users have it: its wheel in a separate environment, and processes timed there.

Nothing is downloaded: dependencies come from the environment that runs the benchmark.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.report import ROOT
from benchmarks.stores import Made


class Installed:
    """An environment with the wheel of this checkout."""

    def __init__(self, folder: Path) -> None:
        dist, target = folder / "dist", folder / "environment"
        _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(dist))
        _run(sys.executable, "-m", "venv", "--without-pip", str(target))
        self.python = str(target / "bin" / "python")
        wheel = str(next(dist.glob("*.whl")))
        _run(
            sys.executable,
            "-m",
            "pip",
            "--python",
            self.python,
            "install",
            "-q",
            "--no-deps",
            "--no-index",
            wheel,
        )
        packages = next(target.glob("lib/python*/site-packages"))
        (packages / "needs.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
        self.cortex = str(target / "bin" / "cortex")
        self.bare = [self.python, "-I", "-c", "pass"]
        self.hook = [self.python, "-I", "-m", "cortex_core.hook"]

    def left(self) -> list[int]:
        """The processes of this environment that are running."""
        numbers = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if self.python.encode() in words:
                numbers.append(int(entry.name))
        return numbers

    def wait(self, seconds: float = 60.0) -> list[int]:
        """Wait until no process of this environment runs; returns those that still run."""
        until = time.monotonic() + seconds
        while (left := self.left()) and time.monotonic() < until:
            time.sleep(0.02)
        return left


def environment(made: Made) -> dict[str, str]:
    """What a process may know of the machine: a home of its own and nothing of ours."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(made.home),
        "LANG": "C.UTF-8",
        "CORTEX_HOME": str(made.home),
    }


def milliseconds(
    command: Sequence[str], where: Mapping[str, str], folder: Path, data: bytes = b""
) -> tuple[float, bytes]:
    """How long `command` takes from its start to its end, and what it printed.

    Raises:
        RuntimeError: it failed.
    """
    began = time.perf_counter()
    done = subprocess.run(
        list(command), input=data, capture_output=True, env=dict(where), cwd=folder, check=False
    )
    spent = 1000 * (time.perf_counter() - began)
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr.decode()}")
    return spent, done.stdout


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")

"""Sets the checkout up and runs it: `python3 dev.py demo`, `python3 dev.py test`.

Standard library only. Makes `.venv` in this folder, with the pip kept under `tools/bootstrap`, so
it works where Python came without pip or forbids installing; installs again when pyproject.toml
has changed. Parses on old Pythons too, to tell them what is missing.
"""

import sys

MINIMUM = (3, 11)

if sys.version_info < MINIMUM:
    sys.exit(
        "Cortex needs Python 3.11 or newer; this is {}.{}. Nothing was changed.\n"
        "Run this again with a newer one, for example: python3.12 dev.py".format(*sys.version_info)
    )

import hashlib  # noqa: E402
import os  # noqa: E402
import shutil  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Iterable, Sequence  # noqa: E402
from concurrent.futures import ThreadPoolExecutor  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import NamedTuple  # noqa: E402

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
STAMP = ENVIRONMENT / "cortex-setup.txt"
CONSTRAINTS = ROOT / "constraints.txt"
"""The version of each package that the checks and tests run with, on every Python."""
BIN = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
LOCK_HEAD = """\
# The versions that checks and tests run with; users get the ranges of pyproject.toml.
# Made by: python3.11 dev.py lock
"""

MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory."""
ROOM = 4 * 1024**3
"""Bytes that must be free there for the files of the tests."""

USAGE = """\
usage: python3 dev.py COMMAND

  demo                 open Cortex on a made-up project; your own files are not touched
  test                 every check and every test, as continuous integration runs them
  test PYTEST-ARGS     only the tests named, for example: test tests/recall -k spelling
  check                the checks without the tests: ruff, mypy, import-linter
  lock                 renew constraints.txt: the newest versions that pyproject.toml allows

The first run makes .venv in this folder and downloads what Cortex needs."""

NO_VENV = """\
This Python ({python}) came without its venv module. Nothing was changed.
Install it and run this again:
  Debian, Ubuntu   sudo apt install python3-venv
  Fedora           sudo dnf install python3-libs
  others           a Python from python.org, Homebrew, pyenv or uv has it"""


class SetupError(Exception):
    """What a user has to know, and can act on, when setting up fails."""


# ---------------------------------------------------------------- the environment


def ensure_environment(extra: str) -> None:
    """Have `.venv` hold the checkout and its needs; `extra` is "test" or "" for none.

    Does nothing when the stamp says that it does already.

    Raises:
        SetupError: the environment cannot be made or filled.
    """
    wanted = _fingerprint()
    if _environment_works() and _installed(wanted, extra):
        return
    started = time.monotonic()
    if not _environment_works():
        _say("Making .venv with Python {}.{} …".format(*sys.version_info))
        _make_environment()
    STAMP.unlink(missing_ok=True)
    _say("Installing what Cortex needs; the first time takes a minute or two …")
    pins = str(CONSTRAINTS)
    needs = f".[{extra}]" if extra else "."
    # Python compiles what it imports, in every process that runs; pip would compile all, in one.
    fast = ("install", "--no-compile")
    _pip(*fast, "--constraint", pins, "--build-constraint", pins, "--editable", needs)
    STAMP.write_text(f"{wanted}\n{extra}\n", encoding="utf-8")
    _say(f"Ready after {time.monotonic() - started:.0f} s.")


def _fingerprint() -> str:
    """Changes with whatever makes an installation stale: the needs, the Python, the place."""
    files = [(ROOT / "pyproject.toml").read_bytes(), CONSTRAINTS.read_bytes()]
    parts = [*files, str(ROOT).encode(), sys.version.encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _installed(wanted: str, extra: str) -> bool:
    if not STAMP.is_file():
        return False
    have, having, *_ = [*STAMP.read_text(encoding="utf-8").splitlines(), "", ""]
    return have == wanted and extra in ("", having)


def _environment_works() -> bool:
    """Whether `.venv` has a Python that starts, is new enough, and has pip."""
    if not PYTHON.exists():
        return False
    test = f"import sys, pip; sys.exit(sys.version_info < {MINIMUM})"
    return subprocess.run([PYTHON, "-c", test], env=_environ(), capture_output=True).returncode == 0


def _make_environment() -> None:
    try:
        import venv
    except ImportError:
        raise SetupError(NO_VENV.format(python=sys.executable)) from None
    if ENVIRONMENT.exists() and not (ENVIRONMENT / "pyvenv.cfg").is_file():
        raise SetupError(
            f"{ENVIRONMENT} is there but is no Python environment. Nothing was changed.\n"
            "Move it away and run this again."
        )
    builder = venv.EnvBuilder(clear=True, symlinks=os.name != "nt", with_pip=False)
    builder.create(ENVIRONMENT)
    wheels = sorted((ROOT / "tools" / "bootstrap").glob("pip-*.whl"))
    if not wheels:
        raise SetupError("tools/bootstrap holds no pip wheel: this checkout is incomplete.")
    _run_pip([str(wheels[-1] / "pip")], "install", "--no-index", str(wheels[-1]))


def _environ() -> dict[str, str]:
    """This process's environment without what would lead a Python or a pip astray."""
    dropped = (
        "PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONPATH PYTHONSTARTUP VIRTUAL_ENV"
        " __PYVENV_LAUNCHER__"
        " PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_REQUIRE_VIRTUALENV"
    ).split()
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}


# ---------------------------------------------------------------- pip, with progress


def _pip(*arguments: str) -> None:
    _run_pip(["-m", "pip"], *arguments)


def _run_pip(pip: Sequence[str], *arguments: str) -> None:
    command = [str(PYTHON), *pip, *arguments, "--progress-bar", "raw", "--no-warn-script-location"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=_environ(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        said = Progress().follow(process.stdout)
    if process.returncode != 0:
        errors = [line for line in said if line.startswith("ERROR")]
        tail = "\n".join(f"  {line}" for line in errors or said[-12:])
        raise SetupError(
            f"Installing failed; nothing outside {ENVIRONMENT} was changed. pip says:\n"
            f"{tail}\n"
            "It needs the package index the first time: check the connection and run this again."
        )


class Progress:
    """One line on a terminal that tells what pip is at; in a log, a line every few seconds."""

    LOG_EVERY = 10.0

    def __init__(self) -> None:
        self.live = sys.stderr.isatty()
        self.started = self.shown = time.monotonic()
        self.packages = 0
        self.now = ""

    def follow(self, lines: Iterable[str]) -> list[str]:
        """Show `lines` as they come; returns those that are words and not progress counts."""
        said = []
        for line in map(str.strip, lines):
            if line.startswith("Progress "):
                self.show(f"{self.now} {_megabytes(line)}")
                continue
            said.append(line)
            self._read(line)
        if self.live:
            sys.stderr.write("\r\x1b[K")
        return said

    def _read(self, line: str) -> None:
        first, _, rest = line.partition(" ")
        if first == "Collecting":
            self.packages += 1
            self.show(f"{self.packages} packages, {rest.split(' (')[0]}")
        elif first == "Downloading":
            self.now = "downloading " + rest.rsplit("/", 1)[-1].split("-")[0]
            self.show(self.now)
        elif first == "Installing" and "," in rest:
            self.show(f"writing {rest.count(',') + 1} packages, the longest part …", force=True)

    def show(self, text: str, *, force: bool = False) -> None:
        """Show `text` with the seconds so far; in a log only now and then, or when forced."""
        now = time.monotonic()
        line = f"  {now - self.started:3.0f} s  {text}"
        if self.live:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r\x1b[K{line[:width]}")
        elif force or now - self.shown >= self.LOG_EVERY:
            sys.stderr.write(line + "\n")
            self.shown = now
        sys.stderr.flush()


def _megabytes(line: str) -> str:
    """`Progress 1048576 of 4194304` as `1.0 of 4.2 MB`."""
    words = line.split()
    if len(words) != 4 or not (words[1].isdigit() and words[3].isdigit()):
        return ""
    return f"{int(words[1]) / 1e6:.1f} of {int(words[3]) / 1e6:.1f} MB"


# ---------------------------------------------------------------- the commands

CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ruff check", ("ruff", "check", ".")),
    ("ruff format", ("ruff", "format", "--check", ".")),
    ("mypy", ("mypy",)),
    ("import-linter", ("lint-imports", "--no-cache")),
)
"""Name and command of every check; the commands lie in the environment's bin folder."""

FAILED = 1
"""The exit code of pytest where tests failed."""

COMPILED = ("cortex_core", "cortex_tui", "benchmarks", "tests")
"""The folders of the checkout that the tests import."""


def demo(arguments: Sequence[str]) -> int:
    """Open Cortex on a made-up project."""
    ensure_environment("")
    return _run(["cortex", "demo", *arguments])


class Result(NamedTuple):
    """How one check went."""

    name: str
    passed: bool
    seconds: float
    output: str

    def show(self) -> None:
        """Say it in a line, with the output below when the check failed."""
        _say(f"{self.name:14} {'ok' if self.passed else 'FAILED':7} {self.seconds:4.1f} s")
        if not self.passed:
            _say(self.output.rstrip())


def check(arguments: Sequence[str]) -> int:
    """Run every check, showing each as it ends."""
    if arguments:
        return wrong_usage()
    ensure_environment("test")
    results = []
    for name, command in CHECKS:
        results.append(_checked(name, command))
        results[-1].show()
    return int(not all(result.passed for result in results))


def lock(arguments: Sequence[str]) -> int:
    """Write the newest versions that pyproject.toml allows to constraints.txt, from a new `.venv`.

    They are resolved for the oldest Python that Cortex supports: newer ones can use them too.
    """
    if arguments:
        return wrong_usage()
    if sys.version_info[:2] != MINIMUM:
        wanted = ".".join(map(str, MINIMUM))
        _say(f"Run this with Python {wanted}: python{wanted} dev.py lock. Nothing was changed.")
        return 2
    STAMP.unlink(missing_ok=True)
    _make_environment()
    _pip("install", "--editable", ".[test]")
    freeze = [str(PYTHON), "-m", "pip", "freeze", "--exclude-editable", "--exclude", "pip"]
    frozen = subprocess.run(freeze, env=_environ(), check=True, stdout=subprocess.PIPE, text=True)
    CONSTRAINTS.write_text(f"{LOCK_HEAD}{frozen.stdout}", encoding="utf-8")
    _say(f"{CONSTRAINTS.name} has {len(frozen.stdout.splitlines())} packages.")
    return 0


def _checked(name: str, command: Sequence[str]) -> Result:
    started = time.monotonic()
    done = subprocess.run(
        [BIN / command[0], *command[1:]],
        cwd=ROOT,
        env=_environ(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    return Result(name, done.returncode == 0, time.monotonic() - started, done.stdout)


def test(arguments: Sequence[str]) -> int:
    """Every check and every test; with arguments only pytest, on what they name.

    The checks run while the tests do and are shown after them, so that the two do not mix.
    """
    ensure_environment("test")
    if arguments:
        return _pytest(*arguments)
    with ThreadPoolExecutor(max_workers=1) as pool:
        checks = [pool.submit(_checked, name, command) for name, command in CHECKS]
        # The workers import the same files at the same time, so each would compile all of them.
        _run(["python", "-m", "compileall", "-q", *COMPILED])
        try:
            # Rewriting their assertions takes each worker longer than it takes to collect them all,
            # so only what failed runs once more with it, to show the values that were compared.
            code = _pytest("--durations=15", "--assert=plain")
            if code == FAILED:
                _pytest("--last-failed", "--last-failed-no-failures=none")
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
        results = [one.result() for one in checks]
    _say("")
    for result in results:
        result.show()
    failed = [*(["tests"] if code else []), *(r.name for r in results if not r.passed)]
    _say(f"FAILED: {', '.join(failed)}" if failed else "All checks and tests passed.")
    return code or bool(failed)


def _pytest(*arguments: str) -> int:
    chosen = any(word.startswith(("-n", "--numprocesses")) for word in arguments)
    # On two cores: three leave them idle an eighth of the time, while tests wait for processes.
    workers = [] if chosen else ["-n", "4"]
    # One seed for all workers: pytest-xdist needs them to collect the same names.
    os.environ.setdefault("PYTHONHASHSEED", "0")
    with _scratch() as folder:
        os.environ["TMPDIR"] = folder
        return _run(["pytest", *workers, *arguments])


def _scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for the files of the tests: in memory where there is room, since thousands of new
    stores make a disk wait."""
    roomy = MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
    roomy = roomy and shutil.disk_usage(MEMORY).free >= ROOM
    return tempfile.TemporaryDirectory(
        prefix="cortex-tests-", dir=MEMORY if roomy else None, ignore_cleanup_errors=True
    )


def _run(command: Sequence[str]) -> int:
    """Run a program of the environment on this terminal; returns its exit code."""
    return subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, env=_environ()).returncode


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    command, *rest = arguments or [""]
    if command == "demo":
        return demo(rest)
    if command == "test":
        return test(rest)
    if command == "check":
        return check(rest)
    if command == "lock":
        return lock(rest)
    if command in ("-h", "--help", "help"):
        print(USAGE)
        return 0
    return wrong_usage()


def wrong_usage() -> int:
    """Show the usage; returns the exit code for it."""
    _say(USAGE)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"The set-up stopped: {error}. Nothing outside {ENVIRONMENT} was changed.")
    except KeyboardInterrupt:
        sys.exit(130)

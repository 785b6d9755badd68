"""Shell commands of a session that worked, programs that are not there.

None of it is a memory yet: what one session shows may be chance. It is observed, and
`capture.recurring` makes memories of what comes back.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from cortex_core.base.tools import POWERSHELL, SHELLS
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.language import programs, shell, shell_results, signals
from cortex_core.language.patterns import Pattern
from cortex_core.records.events import Event

LONGEST = 90
"""Characters of the longest form that is counted: a longer one is a script of the moment."""

LONGEST_CALL = 300
"""Characters of a call that are kept until the next prompt, which may correct it."""

LEFT_OUT = "…"
"""The last word of a form that was run with arguments of its own."""


class Ran(NamedTuple):
    """One simple command of a call, and what came of it."""

    words: tuple[str, ...]
    """From the program on; before it nothing that only changes when or how it runs."""
    literal: tuple[bool, ...]
    folder: str | None
    """Where it ran, relative to the project; None: elsewhere, or not known."""
    succeeded: bool | None
    """None: the line does not show it."""
    started: bool
    """Whether it went on in the background."""


# --- tasks


_GENERAL = Pattern(
    "a word that says what a command does: a subcommand, an option, or the whole folder",
    r"\A(?:[a-z@:][\w.:@+-]*|@[\w.-]+/[\w.-]+|--?[A-Za-z][\w-]*(?:=[a-z][\w:-]*)?|--"
    r"|\.(?:/|/\.\.\.)?)\Z",
    finds=("test:unit", "@org/tool", "--watch", "./..."),
    spares=("TEST", "--port=3000", "src/store"),
    flags=0,
)
_PARTS = Pattern(
    "what is between the words of a script",
    r"[:_.-]|(?<=[a-z])(?=[A-Z])",
    finds="test:unit",
    spares="test",
    flags=0,
)
_NAME_SIGNS = str.maketrans("", "", "_./@+:-")
"""What the name of a program may have besides letters and digits."""


def task_of(form: str) -> str:
    """The task that a form names or its tool is for; empty for none."""
    return _task_and_place(form.partition("\t")[0])[0]


def stem_of(form: str) -> str:
    """The form up to the word that names its task, with its folder; the whole form for none."""
    command, tab, folder = form.partition("\t")
    words = command.split()
    task, place = _task_and_place(command)
    if task:
        words = words[: place + 1]
    return " ".join(word for word in words if word != LEFT_OUT) + tab + folder


@lru_cache(maxsize=1000)
def _task_and_place(command: str) -> tuple[str, int]:
    """The task of a command and the index of the word that says it."""
    words = command.split()
    if words[:2] == ["go", "tool"]:  # it looks at what a task made: `go tool pprof app.test`
        return "", 0
    if ".".join(word for word in words if not word.startswith("-")) in programs.INSTALLS:
        return "install", len(words) - 1
    bases = [word.rsplit("/", 1)[-1] for word in words]
    for place, base in enumerate(bases):
        if base in programs.TOOLS:
            following = "".join(bases[place + 1 : place + 2])
            task, said = programs.TOOLS[base], programs.TASKS.get(following, "")
            is_said = task == "lint" and said in ("lint", "format")
            return (said, place + 1) if is_said else (task, place)
    names = [place for place, word in enumerate(words) if _is_script(word) or not place]
    free = [place for place in _arguments(words) if not words[place - 1].startswith("-")]
    for places, table in (
        (free, programs.TASKS),
        (_arguments(words), programs.TASKS),
        (names, programs.RUNNERS),
        (free, programs.LAST_TASKS),
        (names, programs.TASKS),
        (names, programs.LAST_TASKS),
    ):
        for place in places:
            is_module = words[place - 1 : place] == ["-m"]  # `py_compile` is not the task `compile`
            task = table.get(bases[place], "") if is_module else _named(bases[place], table)
            # Of “run” what follows says more, whose program is another.
            following = "".join(words[place + 1 : place + 2])
            runs_another = words[0] in programs.RUNS_OTHERS or following.strip()[:1] not in (
                "",
                "-",
            )
            if task and not (bases[place] == "run" and runs_another):
                return task, place
    return "", 0


def _arguments(words: Sequence[str]) -> list[int]:
    """The indexes of the words after the program that may name a task."""
    return [
        place
        for place, word in enumerate(words)
        if place and not word.startswith(("-", "@", LEFT_OUT)) and not _is_script(word)
    ]


def _is_script(word: str) -> bool:
    return "/" in word or shell.is_file(word)


def _named(word: str, table: Mapping[str, str]) -> str:
    """The task that a word names as a whole or in a part: `test:ci`, `type-check`, `buildDebug`."""
    whole, parts = word.lower(), _PARTS.regex.sub(" ", word).lower().split()
    return next((table[one] for one in (whole, "".join(parts), *parts) if one in table), "")


# --- forms


def form_of(ran: Ran) -> str:
    """The general form of a command, with its folder after a tab; empty for what says nothing.

    Files, texts, names and numbers go, each with the option it is the value of, and leave `…`. Of
    what an interpreter runs only the interpreter is said: the project's own commands have a runner.
    """
    name = ran.words[0]
    base = posixpath.basename(name)
    is_elsewhere = ran.folder is None or name.startswith(("/tmp/", "/var/", "..", "/dev/"))
    bare = name.translate(_NAME_SIGNS)
    is_program = ran.literal[0] and bare.isalnum() and not bare.isdecimal()
    if not is_program or is_elsewhere or base in programs.PLUMBING | programs.EVERYWHERE:
        return ""
    kept, left_out = list[str](), False
    if base not in programs.INTERPRETERS:
        kept, left_out = _general_arguments(ran.words[1:], ran.literal[1:])
    form = " ".join((name, *kept, *([LEFT_OUT] if left_out else [])))
    return f"{form}\t{ran.folder}".rstrip("\t") if len(form) <= LONGEST else ""


def _general_arguments(words: Sequence[str], literal: Sequence[bool]) -> tuple[list[str], bool]:
    """The arguments that are part of what the command does, and whether others were left out."""
    kept: list[str] = []
    left_out = False
    for word, as_written in zip(words, literal, strict=True):
        if as_written and _GENERAL.is_in(word) and not shell.is_file(word):
            kept.append(word)
            continue
        left_out = True
        if kept and kept[-1].startswith("-") and "=" not in kept[-1]:
            kept.pop()
    while kept and kept[-1] == "--":
        kept.pop()
    return kept, left_out


def shown(form: str) -> str:
    """A form as a statement names it: in backticks, with the folder it is run in."""
    command, _, folder = form.partition("\t")
    if command.endswith(LEFT_OUT):
        command = command.removesuffix(LEFT_OUT).partition(" -- ")[0].strip()
    return f"`{command}` in `{folder}`" if folder else f"`{command}`"


# --- what came of a line

_WORKTREE = Pattern(
    "folder of worktrees",
    r"^(?:[^/]+/)?\.?worktrees/[^/]+/?",
    finds=".worktrees/a/src",
    spares="src/worktree",
    flags=0,
)


def ran_in(
    line: str, cwd: str, root: str, output: str, *, failed: bool, background: bool = False
) -> list[Ran]:
    """The simple commands of a shell line with what came of each, as far as the line shows it.

    `a && b` that worked shows both; of one that failed, the last may be to blame. Before `;` and
    around `||` nothing shows. A pipe ends as its last command does, so its first has worked unless
    the output says otherwise.
    """
    # What a loop or a condition runs, and how often, the line does not show.
    parts = list(shell.simple_commands(line))
    if any(part.words[0] in shell_results.KEYWORDS for part in parts):
        return []
    folder = _below(cwd, root)
    found: list[Ran] = []
    for pipe, result in zip(*shell_results.judged(parts, output, failed), strict=True):
        first = pipe[0]
        start = shell.unwrapped(first.words)
        words = first.words[start:]
        if words[:1] in (("cd",), ("pushd",), ("popd",)):
            folder = _changed(folder, first, start, root)
        started = background or pipe[-1].operator == "&"
        if words:
            outcome = None if started and result else result
            found.append(Ran(words, first.literal[start:], folder, outcome, started))
    return found


def _changed(folder: str | None, one: shell.Simple, start: int, root: str) -> str | None:
    """Where the commands after a `cd` run; None outside the project."""
    target = one.words[start + 1 : start + 2]
    if one.words[start] != "cd" or not target or target[0][:1] in ("-", "~", "$"):
        return None
    return (
        _below(target[0], root)
        if (target[0].startswith("/") or target[0][1:2] == ":")
        else None
        if folder is None
        else _below(posixpath.join(root, folder, target[0]), root)
    )


def _below(path: str, root: str) -> str | None:
    """`path` relative to `root`, empty for the root or a worktree in it; None for outside."""
    path, root = (posixpath.normpath(one.replace("\\", "/")) for one in (path, root))
    if path == root:
        return ""
    folder = root.rstrip("/") + "/"
    return _WORKTREE.regex.sub("", path[len(folder) :]) if path.startswith(folder) else None


# --- what is not there

_ABSENT = Pattern(
    "how zsh, sh and bash, PowerShell, fish and others say that they do not find a program",
    r"command not found: ([\w.+/-]{1,60})"
    r"|(?:^|[:\s])([\w.+/-]{1,60}): (?:command )?not found\b(?!:)"
    r"|[Tt]he term '([\w.+\\/-]{1,60})' is not recognized"
    r"|[Uu]nknown command:? [\"'`]?([\w.+/-]{1,60})",
    finds=(
        "zsh:1: command not found: just",
        "bash: just: command not found",
        "The term 'just' is not recognized",
        "fish: Unknown command: just",
    ),
    spares=("file not found: just", "The term is not recognized", "Unknown option: just"),
    flags=re.MULTILINE,
)


def missing_in(line: str, output: str) -> str:
    """The program of a line that its output says is not found; empty for none."""
    # An output is long, and one of these is in every text that the expressions find.
    if not any(sign in output for sign in ("not found", "not recognized", "nknown command")):
        return ""
    programs = {
        word
        for one in shell.simple_commands(line)
        for word in one.words[: shell.unwrapped(one.words) + 1]
    }
    names = (match[match.lastindex or 0] for match in _ABSENT.regex.finditer(output))
    return next((name for name in names if name in programs and "/" not in name), "")


# --- reading a session


def on_tool_use(event: Event, state: SessionState) -> None:
    """Keep a shell call until its result shows what came of it, and what a prompt may correct."""
    state.root = state.root or event.cwd
    line = event.input.get("command") if event.tool in SHELLS else None
    call = line if isinstance(line, str) else event.tool
    if not event.sidechain and (isinstance(line, str) or call.startswith("mcp__")):
        state.acted.append({"id": event.tool_id, "call": call[:LONGEST_CALL], "refused": False})
    if isinstance(line, str):
        line = line.replace("\\", "/") if event.tool == POWERSHELL else line
        state.running[event.tool_id] = {
            "line": line[:4000],
            "cwd": event.cwd,
            "background": bool(event.input.get("run_in_background")),
        }


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> Sequence[Ran]:
    """Observe what came of a shell call; the commands that it ran."""
    for acted in state.acted if event.interrupted else ():
        acted["refused"] = acted["refused"] or acted["id"] == event.tool_id
    call = state.running.pop(event.tool_id, None)
    if call is None or event.denied or event.timed_out:
        return ()
    background = bool(call.get("background")) or bool(shell_results.WENT_ON.regex.match(event.text))
    line = str(call["line"])
    ran = ran_in(
        line, str(call["cwd"]), state.root, event.text, failed=event.failed, background=background
    )
    where = source_of(event)
    for one in ran:
        _observe_command(one, findings, where)
        if one.succeeded and one.words[0] in state.missing:
            state.missing.remove(one.words[0])
            findings.observe("failure", f"absent {one.words[0]}", "", where)
    if name := missing_in(line, event.text):
        state.missing = [*(one for one in state.missing if one != name), name]
        said = signals.said("absent", "en", name=name)
        findings.observe("failure", f"absent {name}", said, where, succeeded=False)
    return ran


def _observe_command(ran: Ran, findings: Findings, where: Mapping[str, Any]) -> None:
    form = form_of(ran)
    if not form:
        return
    task = task_of(form)
    # A server is started in the background, and what was started has worked so far.
    runs_on = ran.succeeded is None and ran.started and task == "run"
    worked = True if runs_on else ran.succeeded
    if worked is not None and (task or not form.split("\t")[0].endswith(LEFT_OUT)):
        findings.observe("command", form, shown(form), where, succeeded=worked)

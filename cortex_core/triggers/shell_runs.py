"""What a line of shell code would run: each simple command, with its folder, inside every wrapper.

`simple_commands` of `shell` reads one line. This module follows what such a line runs besides: the
code given to `bash -c`, `eval`, a shell's standard input and `$(…)`, the scripts that it writes and
runs, the commands behind `sudo`, `env`, `xargs`, `find -exec` and `npx`, the variables it sets, and
the folder that `cd` moved to.
Nothing is run, and no file is read.
"""

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from cortex_core.language import programs, shell
from cortex_core.language.patterns import Pattern

DEEPEST = 4
"""How many levels of code within code are followed."""

MOST = 200
"""Different simple commands of one line that are looked at."""

_SUBSTITUTED = Pattern(
    "where code begins whose output is put in its place",
    r"(?<!\\)(?:[$<>]\((?!\()|`)",
    finds="echo $(git log)",
    spares="echo $((1 + 2))",
    flags=0,
)
_VARIABLE = Pattern(
    "a variable, with what stands in for it",
    r"\$(?:\{(\w+)(?::?[-+=]([^{}]*))?\}|(\w+))",
    finds=("cd ${DIR:-src}", "${0+rm}"),
    spares="cd $(DIR)",
    flags=0,
)
_BRACES = Pattern(
    "words that a shell makes of one",
    r"([^{}\s]*)\{([^{}\s]*,[^{}\s]*)\}([^{}\s]*)",
    finds="{rm,-rf}",
    spares="{ rm, }",
    flags=0,
)
_LOCATED = Pattern(
    "the shell puts a word in the place of this",
    r"(?:\$\(|`)\s*(?:which|command -v|type -[pP]|echo|printf)\s+([\w./-]+)\s*(?:\)|`)",
    finds="$(which npm) install",
    spares="$(npm root)",
    flags=0,
)
_QUOTES = Pattern(
    "what is escaped or in double quotes, as a group; or what is in single ones",
    r"(\\.|\"(?:\\.|[^\"\\])*(?:\"|\Z))|'[^']*'",
    finds="echo 'a $(b)'",
    spares="echo don't",
    flags=re.DOTALL,
)
_TEXT = Pattern(
    "a text of another language",
    r"""(?<=qx|%x)[({/]([^)}/\n]*)|'((?:\\.|[^'\\\n])*+)'?|"((?:\\.|[^"\\\n])*+)"?|`((?:\\.|[^`\\])*+)`?""",
    finds=("qx{ls}", "'ls'", '"ls"', "`ls`"),
    spares="ls",
    flags=0,
)
_GIVEN = Pattern(
    "texts of another language, and the function that runs them",
    rf"""
    (?P<runs>(?<![\w/])(?<!/\.)(?<!/[gimsuy]\.)(?:
        (?=\w*?(?:exec|getoutput|check_|popen|shell|spawn|system))\w++
        |(?:call|capture[23]e?|cmd|command|passthru|pipeline|run)\b|do\ shell\ script|qx|%x|\$(?=`)
    )(?:\s{{0,4}}[(\[{{]|\s{{0,4}}(?:\w++\.)?\w++\(){{0,4}}\s{{0,4}}[bfru]{{0,2}})?
    (?P<texts>(?:(?:{_TEXT.source})[\s,(\[{{]{{0,8}}(?:\w{{1,40}}\s?[:=]\s?)?[(\[{{]?)+)
    """,
    finds=("os.system('rm x')", "spawn('npm', ['i'])", "print('ls')"),
    spares="os.system(line)",
    flags=re.VERBOSE | re.IGNORECASE,
)
_BESIDES = Pattern(
    "what a program's name has at its end: `npm.cmd`, `npm@latest`, `python3.11`",
    r"(?<=[a-z])(?:\.(?:exe|cmd|bat|ps1)|@[\w.^~-]+)$"
    r"|(?:(?<=^python)|(?<=^pip)|(?<=^node)|(?<=^ruby)|(?<=^php))\d[\d.]*(?:\.exe)?$",
    finds=("npm@latest", "python3.11"),
    spares=("cmd.exe.d", "python", "gcc12"),
)
_LANGUAGES = programs.INTERPRETERS - programs.SHELLS | frozenset(
    "awk bun deno elixir gawk groovy ipython julia lua luajit mawk osascript php pypy Rscript"
    " ts-node tsx".split()
)
"""Programs that run code of another language, which they are given or read."""

_READ_CODE = frozenset("at batch make newgrp".split())
"""Other programs that run the lines of shell that they read."""

_WRITERS = frozenset(("install", "tee"))
"""Programs that write what they read to the file they name last."""

_RUN_NOTHING = programs.PLUMBING - programs.PREFIXES.keys()
"""Programs that look, or move text and files, whatever their words are."""

_RUN_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "az": ("run-command",),
    "heroku": ("run",),
    "tmux": ("new", "split", "send", "respawn", "run", "if", "popup", "display-popup", "pipe"),
    **dict.fromkeys(
        """
        ansible clush concurrently entr expect gnome-terminal hyperfine kitty konsole mprocs
        onchange parallel parallel-ssh pdsh pssh pueue reflex salt screen script tsp watchexec
        wezterm xterm zellij
        """.split(),
        ("",),
    ),
}
"""Programs that run an argument with spaces as a line of shell, by how the word begins that says
so; empty for every call of it."""


class ShellRun(NamedTuple):
    """One command that a line would run."""

    words: tuple[str, ...]
    """The program without its folder, and its arguments; variables that the line sets are filled
    in."""
    folder: str | None
    """Where it runs: relative to where the line starts, or absolute; None where it is unknown."""
    written: tuple[str, ...] = ()
    """The targets of its redirections."""
    within: tuple[str, ...] = ()
    """The whole command that runs it, such as `uv run pytest`; empty if nothing does."""
    part: int = -1
    """Which of the line's own simple commands it is, or is run by, counted from 0; -1: of none,
    such as what is in `$(…)`."""
    pushes: tuple[str, ...] = ()
    """Of a `git push`: the branches it goes to, see `git_calls.pushes`."""
    staged: tuple[str, ...] = ()
    """Of a `git add` or `git commit`: what it takes, as the files of a `Call`."""
    fed: str = ""
    """What comes through a pipe: the text that is printed, or the command that prints it; of a
    `git commit` or `git merge` the branch that it is made on, as `branch:main`."""


class _State:
    """What a line has set so far."""

    __slots__ = (
        "aliases",
        "fed",
        "folder",
        "git_aliases",
        "part",
        "printed",
        "read",
        "scripts",
        "seen",
        "values",
    )

    def __init__(self) -> None:
        self.folder: str | None = ""
        self.values: dict[str, str] = {"IFS": " "}
        self.aliases: dict[str, list[str]] = {}
        self.git_aliases: dict[str, tuple[str, ...]] = {}
        self.printed = ""
        """What the command before a pipe prints, as far as that can be seen."""
        self.fed = ""
        self.scripts: dict[str, list[str]] = {}
        """The texts that the line has written to a file, by its name without the folder."""
        self.read: set[str] = set()
        """The code that was followed; a script may run itself."""
        self.seen: set[tuple[str, ...]] = set()
        self.part = -1


def runs(line: str) -> list[ShellRun]:
    """Every command that `line` would run, in order; at most `MOST`."""
    return list(_of_code(line, _State(), 0))


def _of_code(code: str, state: _State, depth: int) -> Iterator[ShellRun]:
    if depth > DEEPEST or code in state.read:
        return
    state.read.add(code)
    for inner in (*_here_documents(code, state), *_substitutions(code)):
        yield from _of_code(inner, state, depth + 1)
    for part, simple in enumerate(shell.simple_commands(_LOCATED.regex.sub(r"\1", code))):
        if len(state.seen) >= MOST:
            return
        if part >= MOST and simple.words in state.seen:
            continue  # what is repeated cannot hide what follows
        state.seen.add(simple.words)
        state.part = state.part if depth else part
        yield from _of_words(_filled(simple, state), simple, state, depth)


def _filled(simple: shell.Simple, state: _State) -> tuple[str, ...]:
    """The words with the variables that the line has set in place of their names."""
    words: list[str] = []
    for word in simple.words:
        filled = _VARIABLE.regex.sub(
            lambda match: state.values.get(match[1] or match[3], match[2] or match[0]), word
        )
        words += [word] if filled == word else filled.split()
    return tuple(each for word in words for each in _braces(word))


def _braces(word: str) -> list[str]:
    """The words that the shell makes of `{rm,-rf}`."""
    found = _BRACES.regex.fullmatch(word)
    if not found:
        return [word]
    before, listed, after = found.groups()
    return [f"{before}{each}{after}" for each in listed.split(",")]


def _of_words(
    words: Sequence[str],
    simple: shell.Simple,
    state: _State,
    depth: int,
    within: tuple[str, ...] = (),
) -> Iterator[ShellRun]:
    words = words[_start(words, state) :]
    if not words:
        return
    words = [*state.aliases.get(words[0], words[:1]), *words[1:]]
    words = _without_alias_of_git(tuple(words), state)
    named = (*_name_of(words[0]), *words[1:])
    yield ShellRun(named, state.folder, simple.targets, within, state.part, fed=state.fed)
    yield from _inside(named, simple, state, depth)
    _note(named, simple, state)


def _without_alias_of_git(words: Sequence[str], state: _State) -> Sequence[str]:
    """The words of a call of git with what the line itself made an alias of.

    An alias that begins with `!` is code for a shell.
    """
    aliases = dict(state.git_aliases)
    rest = words[1:]
    while words[0] == "git" and rest[:1] == ("-c",) and rest[1:2]:
        name, _, value = rest[1].partition("=")
        aliases[name.removeprefix("alias.")] = (value,)
        rest = rest[2:]
    if words[0] != "git" or not rest or rest[0] not in aliases:
        return words
    meant = " ".join(aliases[rest[0]])
    code = meant[1:] if meant.startswith("!") else f"git {meant}"
    return ("sh", "-c", " ".join((code, *rest[1:])))


def _name_of(word: str) -> list[str]:
    """The program that a word calls, by its usual name: without folder, ending and version."""
    base = _BESIDES.regex.sub("", posixpath.basename(word.replace("\\", "/")))
    return programs.SAME_PROGRAM.get(base, base).split() or [word]


def _start(words: Sequence[str], state: _State) -> int:
    """Where the program is, behind keywords and assignments; what is only assigned is kept."""
    place = 2 if words[:1] == ("function",) else 0
    while place < len(words) and (
        words[place] in programs.KEYWORDS_BEFORE or shell.is_assignment(words[place])
    ):
        place += 1
    if place == len(words):
        state.values.update(_assigned(words))
    return place


def _assigned(words: Iterable[str]) -> dict[str, str]:
    """The values that assignments among the words set, by name."""
    pairs = (word.partition("=") for word in words if shell.is_assignment(word))
    return {name.rstrip("+"): value for name, _, value in pairs}


def _inside(
    words: tuple[str, ...], simple: shell.Simple, state: _State, depth: int
) -> Iterator[ShellRun]:
    """The commands that the command `words` runs."""
    program = words[0]
    if program == "find":
        for place, word in enumerate(words):
            if word in ("-exec", "-execdir", "-ok") and place + 1 < len(words):
                yield from _of_words(words[place + 1 :], simple, state, depth + 1, words)
    elif code := f"{_code_given(words, state.printed)}\n{_read_by(words, simple, state)}".strip():
        here = state.folder
        state.folder = None if program in programs.REMOTE_SHELLS else here
        yield from _of_code(code, state, depth + 1)
        state.folder = here
    elif (rest := _behind(words)) and depth < DEEPEST:
        yield from _of_words(rest, simple, state, depth + 1, words)


def _code_of(words: tuple[str, ...]) -> str:
    """The code that a shell is given: after `-c`, to `eval` or `trap`; empty for a script."""
    if words[0] in ("eval", "trap"):
        return " ".join(words[1:2] if words[0] == "trap" else words[1:])
    rest = _after_options(words[1:], frozenset("-o +o -O +O --rcfile --init-file".split()))
    code, before = "".join(rest[:1]), words[len(words) - len(rest) - 1]
    is_given = before.startswith("-") and not before.startswith("--") and before.endswith("c")
    # A text with spaces is what `<(echo …)` prints; a word without is a script.
    return code if is_given or " " in code else ""


def _code_given(words: tuple[str, ...], printed: str) -> str:
    """The code that an option, or `trap` and `cmd`, are given, or that is piped in; empty for
    none."""
    piped = _as_shell(_reads_code(words), printed) if printed else ""
    if piped or words[0] in _LANGUAGES:
        # Behind a script are its arguments; what an option is given may be code.
        given = (
            word
            for before, word in pairwise(words)
            if "-" in (before[:1], word[:1]) or ("(" in word and before in (words[0], "eval"))
        )
        return piped or "\n".join(line for word in given for line in _run_by(words[0], word))
    if words[0] in programs.SHELLS or words[0] in ("eval", ".", "source", "trap"):
        return _code_of(words)
    if words[0] in programs.REMOTE_SHELLS:
        rest = _after_options(words[1:], programs.REMOTE_OPTIONS)
        return " ".join(rest[2:] if rest[1:2] == ("--",) else rest[1:])
    if words[1:3] == ("submodule", "foreach"):
        return " ".join(_after_options(words[3:], frozenset()))
    if words[0] in ("cmd", "powershell", "pwsh") and (
        words[1:2] and words[1].lower() in ("/c", "-c", "-command")
    ):
        return " ".join(words[2:])
    if words[0] in _RUN_NOTHING:
        return ""
    if any(word.startswith(_RUN_ARGUMENTS.get(words[0], ())) for word in words[1:]):
        return "\n".join(word for word in words[1:] if " " in word)
    for place, word in enumerate(words):
        name, _, value = word.partition("=")
        code = value or "".join(words[place + 1 : place + 2])
        if (
            name in programs.GIVEN_CODE
            and " " in code
            and _LANGUAGES.isdisjoint(_name_of(one)[0] for one in words[:place])
        ):
            return code
    return ""


def _behind(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command that follows a wrapper or a runner; empty for neither."""
    if words[0] == "command" and words[1:2] in (("-v",), ("-V",)):
        return ()
    if words[0] == "flock":
        return _after_options(words[1:], frozenset("-w -E".split()))[1:]
    if words[:2] == ("python", "-m") and programs.MODULES.intersection(words[2:3]):
        return words[2:]
    for length in (1, 2):
        if words[:length] in programs.RUNS_PROGRAMS and len(words) > length:
            rest = words[length:]
            if "--" in rest:
                return rest[rest.index("--") + 1 :]
            return _after_options(rest, frozenset("--with -p --package -q --using".split()))
    if words[0] in ("yarn", "pnpm", "bun") and words[1:] and words[1] in programs.TOOLS:
        return words[1:]
    if words[0] not in programs.PLUMBING:
        # As another program's argument: `docker exec web sh -c …`, `docker exec web python -c …`.
        for place, word in enumerate(words[1:-2], 1):
            name = _name_of(word)[0]
            if name in programs.SHELLS or (
                name in _LANGUAGES and words[place + 1][:2] in ("-c", "-e")
            ):
                return words[place:]
    if words[0] in programs.PREFIXES:
        return _after_options(words[1:], frozenset(programs.PREFIXES[words[0]].split()))
    return ()


def _after_options(words: tuple[str, ...], valued: frozenset[str]) -> tuple[str, ...]:
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--":
            return words[place + 1 :]
        is_limit = word[:1].isdigit() and word.rstrip("smhd").replace(".", "").isdigit()
        if not (word.startswith(("-", "+")) or shell.is_assignment(word) or is_limit):
            break
        place += 2 if word in valued else 1
    return words[place:]


def _note(words: tuple[str, ...], simple: shell.Simple, state: _State) -> None:
    """Remember what the command leaves for those after it."""
    program = words[0]
    if program in ("cd", "pushd"):
        state.folder = _moved(state.folder, words[1:])
    elif program in ("export", "declare", "local", "readonly"):
        state.values.update(_assigned(words[1:]))
    elif program == "alias":
        set_to = (word.partition("=") for word in words[1:] if "=" in word)
        state.aliases.update({name: value.split() for name, _, value in set_to})
    elif words[:2] == ("git", "config"):
        named = [place for place, word in enumerate(words) if word.startswith("alias.")]
        state.git_aliases.update({words[at][len("alias.") :]: words[at + 1 :] for at in named})
    if program not in _WRITERS:
        state.printed = _printed(words, simple, state)
    _keep(simple, state.printed, state)
    state.printed = state.printed if simple.operator == "|" else ""
    state.fed = (state.printed or " ".join(words)) if simple.operator == "|" else ""


def _moved(folder: str | None, words: Sequence[str]) -> str | None:
    to = next((word for word in words if not word.startswith("-")), None)
    if to is None or "$" in to or to.startswith("~"):
        return None
    is_unknown = folder is None and not posixpath.isabs(to)
    return None if is_unknown else posixpath.normpath(posixpath.join(folder or "", to))


def _printed(words: tuple[str, ...], simple: shell.Simple, state: _State) -> str:
    """What a command prints, as far as that can be seen."""
    if words[0] in ("echo", "printf"):
        texts = (word for word in words[1:] if word != "-e" and "%" not in word)
        return " ".join(texts).replace("\\n", "\n").replace("\\t", "\t")
    sign, source = simple.reads if words[0] == "cat" else ("<<<", "")
    return source if sign == "<<<" else _script(source or words[-1], state)


def _keep(simple: shell.Simple, text: str, state: _State) -> None:
    """Remember the files to which a command writes `text`."""
    named = () if _WRITERS.isdisjoint(simple.words) else simple.words[-1:]
    for file in (*simple.targets, *named):
        state.scripts.setdefault(posixpath.basename(file), []).append(text)


def _script(file: str, state: _State) -> str:
    """What the line has written to `file`."""
    return "\n".join(state.scripts.get(posixpath.basename(file), ()))


def _here_documents(code: str, state: _State) -> Iterator[str]:
    """The here-documents that a shell reads as code, directly or through a pipe; what is written of
    them to files is kept."""
    for found in shell.HERE_DOCUMENT.regex.finditer(code) if "<<" in code else ():
        before = code[code.rfind("\n", 0, found.start()) + 1 : found.start()]
        for simple in shell.simple_commands(f"{before} {found['after']}"):
            _keep(simple, found["text"], state)
            yield _as_shell(_reads_code(simple.words), found["text"])


def _read_by(words: tuple[str, ...], simple: shell.Simple, state: _State) -> str:
    """The code that a command reads from a here-string, or from a file that the line has written:
    as its input, as a script, or as the program itself."""
    sign, source = simple.reads
    if sign in ("<<<", "<") and (by := _reads_code(words)):
        return _as_shell(by, source if sign == "<<<" else _script(source, state))
    is_reader = words[0] in programs.SHELLS | _LANGUAGES | _READ_CODE | {"source", "."}
    file = "".join(_after_options(words[1:], frozenset())[:1]) if is_reader else words[0]
    if not (is_reader or any(word.endswith(f"/{file}") for word in simple.words)):
        return ""  # a program of the machine
    text = _script(file, state).lstrip("#! \n")
    return _as_shell(_reads_code(text.partition("\n")[0].split()) or words[0], text)


def _as_shell(reader: str, code: str) -> str:
    """The shell code that a program runs which reads `code`; empty for no program."""
    if reader in _LANGUAGES:
        return "\n".join(_run_by(reader, code))
    return code.replace("\t@", "\t") if reader else ""  # `@` in a makefile: do not print the line


def _run_by(language: str, code: str) -> Iterator[str]:
    """The lines of shell that functions are given in code of another language."""
    for found in _GIVEN.regex.finditer(code):
        if found["runs"] or (found[0][0] == "`" and language in ("perl", "php", "ruby")):
            words = ["".join(one) for one in _TEXT.regex.findall(found[0])]
            # A line, or a program and its words, which `execvp` names twice.
            yield (
                words[0] if len(words) == 1 or " " in words[0] else shlex.join(dict.fromkeys(words))
            )


def _reads_code(words: Sequence[str]) -> str:
    """The program that runs what a command reads: a shell or an interpreter without a script, here
    or elsewhere; empty for none."""
    if words[:1] and words[0] in programs.REMOTE_SHELLS:
        rest = _after_options(tuple(words[1:]), programs.REMOTE_OPTIONS)
        return words[0] if len(rest) == 1 else _reads_code(rest[1:])
    some = words[:1] if words[:1] and words[0] in _RUN_NOTHING else words
    named = ((at, _name_of(word)[0]) for at, word in enumerate(some))
    reads = _READ_CODE | _LANGUAGES | programs.SHELLS
    at, name = next(
        (one for one in named if one[1] in reads or one in ((0, "source"), (0, "."))), (0, "")
    )
    behind = words[at + 1 :]
    is_told = name in _READ_CODE or {"-", "-s", "/dev/stdin", "/dev/fd/0"}.intersection(behind)
    return name if is_told or all(word[:1] == "-" for word in behind) else ""


def _substitutions(code: str) -> Iterator[str]:
    """The code within `$(…)` and backticks, where the shell would expand it."""
    if not any(mark in code for mark in ("$(", "`", "<(", ">(")):
        return
    expanded = shell.HERE_DOCUMENT.regex.sub(
        lambda found: found["after"] if found[1] else found[0], code
    )
    bare = _QUOTES.regex.sub(lambda match: match[1] or "''", expanded)
    at = 0
    while match := _SUBSTITUTED.regex.search(bare, at):
        if match[0] == "`":
            end = bare.find("`", match.end()) % (len(bare) + 1)  # to the end where none closes it
            at = end + 1
        else:
            at = shell.closing(bare, match.end())
            end = at - 1
        yield bare[match.end() : end]

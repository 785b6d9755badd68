"""Whether a tool call is one that a trigger means."""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cortex_core.base import globs
from cortex_core.language import programs, shell
from cortex_core.triggers import git_calls
from cortex_core.triggers.calls import Call
from cortex_core.triggers.forms import CHANGE, COMMAND, FILES, PUSH, READING, STAGED, TEXT
from cortex_core.triggers.shell_runs import ShellRun
from cortex_core.triggers.syntax import Trigger, alternatives, parsed, phrase, program_of, spelling


def matches(trigger: Trigger, called: Call) -> bool:
    """Whether a call is one that the trigger means."""
    if trigger.tool == COMMAND:
        return any(
            means(trigger.pattern, words)
            and not is_exempt(trigger, run)
            and not (trigger.breaks and looks_up(trigger.pattern, words))
            for run in _not_before(trigger.after, called.runs)
            for words in (*spoken(run), *_behind(trigger.pattern, run.words))
        )
    if trigger.tool == PUSH:
        # With `+` in front a push by force is meant.
        meant, is_forced = spelling(trigger.pattern.lstrip("+")), trigger.pattern.startswith("+")
        return any(
            (one.startswith("+") or not is_forced)
            and (one.lstrip("+") == git_calls.EVERY or meant.fullmatch(one.lstrip("+")))
            for run in called.runs
            if not is_exempt(trigger, run)
            for one in run.pushes
        )
    if trigger.tool == STAGED:
        return any(
            _is_path(path, trigger.pattern)
            or any(
                git_calls.would_stage(called.top, path, one)
                for one in alternatives(trigger.pattern)
            )
            for run in called.runs
            if not is_exempt(trigger, run)
            for path in run.staged
        )
    if trigger.tool in (CHANGE, READING):
        paths = called.changed if trigger.tool == CHANGE else called.read
        # A rule may name a file of the project by its whole path.
        pattern = trigger.pattern.lstrip("+")
        if called.top and pattern.startswith(f"{called.top}/"):
            pattern = pattern[len(called.top) :].lstrip("/")
        is_of_new = trigger.pattern.startswith("+")
        return any(
            _is_path(path, pattern) and (not is_of_new or _is_new(path, called)) for path in paths
        )
    if trigger.tool == TEXT:
        find = phrase(trigger.pattern).findall
        # The address of a bucket or a server is one in a command, too.
        words = (word for run in called.runs for word in run.words if "://" in trigger.pattern)
        return len(find(" ".join((called.written, *words)))) > len(find(called.removed)) and any(
            all(_is_in(path, place) for place in trigger.pattern.split(" @in:")[1:])
            for path in called.changed or ("",)
        )
    return bool(spelling(trigger.tool).fullmatch(called.tool))


def spoken(run: ShellRun) -> tuple[tuple[str, ...], ...]:
    """The words of a command, and those with what is piped into it: `echo … | psql`."""
    return (run.words, (*run.words, run.fed)) if run.fed else (run.words,)


def _not_before(first: str, runs: Sequence[ShellRun]) -> Iterator[ShellRun]:
    """The commands of a line up to the one that has to come first."""
    for run in runs:
        if first and (means(first, run.words) or means(first, run.within)):
            return
        yield run


def looks_up(pattern: str, words: Sequence[str]) -> bool:
    """Whether a program that is ruled out as a whole is only asked about something."""
    # With more words, `-v` means “verbose” and `-h` names a host.
    is_asked = tuple(words[1:]) in (("-v",), ("-V",), ("-h",))
    # The word behind `sudo` is a program.
    is_look = pattern not in programs.PREFIXES and not programs.LOOKING.isdisjoint(words[1:2])
    return pattern == words[0] and pattern not in programs.EVERYWHERE and (is_asked or is_look)


_EXAMPLES = (".example", ".sample", ".template", ".dist")
"""Endings of files that stand for another one, and are not meant by its name."""

_DOES_TOO: Mapping[str, Mapping[str, str]] = {
    "git": {"git pull --rebase": "git rebase"},
    "terraform": {"terraform apply -destroy": "terraform destroy"},
    "docker": {
        "docker buildx build": "docker build",
        "docker image build": "docker build",
        "docker compose build": "docker build",
        "docker compose push": "docker push",
        "docker image push": "docker push",
        "docker buildx build --push": "docker push",
    },
}
"""By program: commands that do what another one of it does, which a rule rather names."""

_OF_THEIR_OWN = programs.PLUMBING | programs.EVERYWHERE | programs.IN_RULES
"""Programs whose arguments are no programs, but for what follows their `exec` or `run`."""


def _behind(pattern: str, words: Sequence[str]) -> Iterator[Sequence[str]]:
    """What a command does as another one would, such as `git pull --rebase`, and what another
    program may run: the words from each on that is the pattern's program.

    Any program may run another (`strace`, `docker exec`), so there is no list of those that do; a
    pattern of one word is left out, because that word may be an argument as well.
    """
    known, _, rest = pattern.partition(" ")
    yield from (
        does.split()
        for program in known.split("|")
        for one, does in _DOES_TOO.get(program.removesuffix(":*"), {}).items()
        if means(one, words)
    )
    if (words[0] in programs.INTERPRETERS or words[0] in ("source", ".")) and words[1:]:
        yield [words[1].rpartition("/")[2], *words[2:]]
    runs_others = words[0] not in _OF_THEIR_OWN or {"exec", "run", "shell"}.intersection(words)
    if rest and runs_others:
        for place in range(1, len(words)):
            if (program := words[place].rpartition("/")[2]) in known.split("|"):
                yield [program, *words[place + 1 :]]


def _is_new(path: str, called: Call) -> bool:
    """Whether a call makes a file that is not there yet; not where its folder is not known."""
    full = posixpath.join(called.top, posixpath.expanduser(path))
    return posixpath.isabs(full) and not called.removed and not os.path.lexists(full)


def _is_in(path: str, place: str) -> bool:
    """Whether a file is in a place: where a glob or a word of `FILES` means it; not, behind `!`."""
    names = alternatives(place.removeprefix("!"))
    meant = (one for name in names for one in FILES.get(name, [name]))
    return any(_is_path(path, one) for one in meant) != place.startswith("!")


def _is_path(path: str, pattern: str) -> bool:
    """Whether a glob, or one of several, means a file: in the project, in the home folder (`~/…`),
    or anywhere."""
    if "|" in pattern:
        return any(_is_path(path, one) for one in alternatives(pattern))
    if path.endswith(_EXAMPLES) and not pattern.endswith(_EXAMPLES):
        return False
    for outside in ("~/", "/"):
        if pattern.startswith(outside):
            rest = outside[:-1]
            return path.startswith(outside) and globs.matches(
                path.removeprefix(outside), pattern.removeprefix(rest)
            )
    return globs.matches(path, pattern) or path == pattern.removesuffix("/**")


def hits(lines: Iterable[str], called: Call) -> Iterator[Trigger]:
    """Those of the triggers that stored `lines` state which mean the call."""
    for line in lines:
        if (trigger := parsed(line)) and matches(trigger, called):
            yield trigger


def means(pattern: str, words: Sequence[str]) -> bool:
    """Whether a command is what a pattern such as `git push --force` names.

    The program is the same, or one of several (`npm|pnpm add`), the subcommands come first and in
    this order, the options come anywhere, in their long or short form, alone or together.
    """
    wanted = pattern.split()
    program = (
        next(
            (
                one
                for one in program_of(pattern).split("|")
                if words[0] == one
                # A rule about a program's commands means its wrapper as well: `gradlew`, `mvnw`.
                or (len(wanted) > 1 and words[0] == f"{one}w")
                # The shell may put a program in the place of a word with `?` or `*`.
                or (
                    any(map(str.isalnum, words[0]))
                    and not frozenset("?*[").isdisjoint(words[0])
                    and globs.matches(one, words[0])
                )
            ),
            "",
        )
        if words
        else ""
    )
    if not program:
        return False
    # `npm i` is `npm install` on both sides.
    same = programs.SAME_SUBCOMMAND
    given = [same.get((program, word), word) for word in words[1:]]
    asked = [
        "|".join(same.get((program, one), one) for one in word.split("|")) for word in wanted[1:]
    ]
    options = [word for word in asked if word.startswith("-")]
    rest = [word for word in asked if not word.startswith("-")]
    # With these options a command changes nothing: no rule about what it does means such a call.
    shows_by_n = program in ("rsync", "make") or rest[:1] == ["clean"]
    if len(wanted) > 1 and any(
        (
            word.startswith(("--dry-run", "--dryrun", "--help", "--list", "--abort"))
            and word not in options
        )
        or (word in ("--check", "--diff") and program in programs.SHOWING_BY_CHECK)
        or (shows_by_n and "-n" in _letters(word))
        for word in given
        if word.startswith("-")
    ):
        return False
    mentioned = [word for word in rest if word[0] in "@~"]
    rest = [word for word in rest if word[0] not in "@~"]
    return (
        _comes_first(rest, given)
        and all(_is_mentioned(word, given) for word in mentioned)
        and _has_options(program, rest, options, given)
    )


def is_exempt(trigger: Trigger, run: ShellRun) -> bool:
    """Whether a command is what the trigger takes out with `unless`."""
    return bool(trigger.unless) and (
        means(trigger.unless, run.words) or means(trigger.unless, run.within)
    )


def _comes_first(wanted: list[str], given: list[str]) -> bool:
    """Whether the subcommands come before any other word; an option may take the word after it."""
    to_end = wanted[-1:] == ["$"]
    wanted = wanted[:-1] if to_end else wanted
    # How many of them may have come by now: `*` may mean the value of an option, or not.
    reached = {0}
    for number, word in enumerate(given):
        # `cargo +nightly publish` names a version.
        if word.startswith("-") or (word.startswith("+") and word not in wanted):
            continue
        # `npm test -- src/a.test.ts` names a file.
        is_value = number > 0 and given[number - 1].startswith("-") and given[number - 1] != "--"
        kept = reached if is_value else reached - set(range(len(wanted) + to_end))
        on = {at + 1 for at in reached if at < len(wanted) and _is_word(wanted[at], word)}
        reached = kept | on
    return len(wanted) in reached


def _is_mentioned(wanted: str, given: Sequence[str]) -> bool:
    """Whether an argument names what is meant: `@host` a machine, with `*` for any letters, `~prod`
    a part of a name.

    With `$` behind it, only the last argument counts.
    """
    name = "|".join(map(re.escape, wanted.strip("@~$").split("|")))
    name = name.replace(r"\*", r"\S*") if wanted[0] == "@" else name
    ends = (
        (r"(?:^|[@/=\s])", r"(?:$|[:/?\s])")
        if wanted[0] == "@"
        else ("(?<![a-z])", "(?![a-z])" * name[-1:].isalnum())
    )
    pattern = f"{ends[0]}(?:{name}){ends[1]}"
    return any(
        re.search(pattern, word, re.IGNORECASE) for word in given[-1 if wanted[-1] == "$" else 0 :]
    )


def _is_word(wanted: str, word: str) -> bool:
    """Whether an argument is the one that is meant: `*` means any letters, and `:*` at the end
    anything that follows the word, or nothing; `a|b` is one of several, `fix:` a type of commit."""
    if "|" in wanted:
        return any(_is_word(one, word) for one in wanted.split("|"))
    if wanted.endswith(":*") and word == wanted[:-2]:
        return True
    if wanted.endswith(":"):
        return word.startswith((wanted, f"{wanted[:-1]}(", f"{wanted[:-1]}!:"))
    if "*" in wanted:
        return bool(spelling(wanted).fullmatch(word))
    return word == wanted or word.removeprefix("./") == wanted.removeprefix("./")


def _has_options(program: str, rest: list[str], options: list[str], given: list[str]) -> bool:
    """Whether a command is given all `options`; `rest`: the subcommands that are asked for."""
    known: set[str] = set()
    for word in given:
        if word == "--":
            break
        if word.startswith("-"):
            known.update(_short(program, option) for option in (word, *_letters(word)))
        elif word.startswith("+") and (program, *rest[:1]) == ("git", "push"):
            known.add("-f")  # a ref that is pushed by force
    known |= {
        other
        for (of, subcommand, short), other in programs.OPTIONS_OF_SUBCOMMAND.items()
        if of == program and subcommand in rest and short in known
    }
    return all(
        any(_is_given(program, one, given, known) for one in option.split("|"))
        for option in options
    )


def _is_given(program: str, option: str, given: list[str], known: set[str]) -> bool:
    """Whether a command has an option, in its short form among those `known`, or with the value
    that is asked for: `--context=live-*`."""
    if "=" in option:
        name, _, value = option.partition("=")
        return any(spelling(value).fullmatch(one) for one in shell.option(tuple(given), name))
    letters = {_short(program, letter) for letter in _letters(option) or (option,)}
    return _short(program, option) in known or letters <= known


def _short(program: str, option: str) -> str:
    """An option in its short form, without its value."""
    name = option.partition("=")[0]
    if name.startswith("--") and len(name) > len("--x"):
        # A program takes the beginning of a long option for the whole.
        for (of, long), short in programs.SHORT_OPTIONS.items():
            if of == program and long.startswith(name):
                return short
    return programs.SHORT_OPTIONS.get((program, name), name)


def _letters(option: str) -> list[str]:
    """The options that stand for the letters of `-rf`; none for a long one."""
    letters = "" if option.startswith("--") else option.partition("=")[0][1:]
    return [f"-{letter}" for letter in letters]

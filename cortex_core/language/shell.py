"""Reads the simple commands in shell code: their words, and the texts they are given.

It understands quotes, here-documents, here-strings, `$(cat <<EOF …)`, `<(cat <<EOF …)` and the
`@'…'@` of PowerShell, because commit and pull request messages come in all of them. It runs nothing
and takes time linear in the command's length.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cortex_core.language import programs
from cortex_core.language.patterns import Pattern


class Simple(NamedTuple):
    """One simple command of a line, and what follows it there."""

    words: tuple[str, ...]
    """Assignments, program and arguments, without quotes and redirections."""
    literal: tuple[bool, ...] = ()
    """For each word, whether the shell passes it on as it is written: no quotes, no expansion."""
    operator: str = ""
    """What ends it: `&&`, `||`, `|`, `;` (also a line's end), `&`, or nothing at the end."""
    targets: tuple[str, ...] = ()
    """The files that its output is redirected to."""
    reads: tuple[str, str] = ("", "")
    """What it reads: `<<<` and a text, `<<` and the tag that ends one, or `<` and a file."""


_ENDINGS = frozenset(
    """
    cfg cjs conf css csv cts db ex exs go gradle h htm html ini java js json jsonl jsx kt lock log
    md mjs mts png properties proto py rb rs sh sql svg swift tf tfvars toml ts tsx txt vue xml
    yaml yml
    """.split()
)
"""How the names of files end."""
_LONGEST = 60_000
_BEFORE = Pattern(
    "what precedes a program at the beginning of a command",
    r"(?:^|[;&|\n(]|\b(?:then|do|sudo|time|command|env|rtk)[ \t])[ \t]{0,8}"
    r"(?:[A-Z_]{1,40}=\S{0,80}[ \t]{1,4}){0,3}$",
    finds="make && sudo ",
    spares="echo of ",
    flags=0,
)
_LOOK_BACK = 160
HERE_DOCUMENT = Pattern(
    "text within a command, and the rest of the line that it begins in",
    r"(?<!<)<<-?[ \t]*(['\"]?)(\w+)\1(?P<after>[^\n]*)\n(?P<text>(?s:.*?))(?:^[ \t]*\2[ \t]*$|\Z)",
    finds="cat <<EOF\na\nEOF",
    spares="cat <<<a",
    flags=re.MULTILINE,
)
_OPERATOR = Pattern(
    "what ends a command",
    r"[ \t\r)]*(&&|\|\||;{1,2}|\|&?|&|\n)",
    finds=" && b",
    spares="a",
    flags=0,
)
_REDIRECT = Pattern(
    "redirection",
    r"(?:&>>?|>>?\|?|<{1,3}>?)(&(?:\d+|-))?",
    finds="make >log",
    spares="make log",
    flags=0,
)
_EXPANDED = Pattern(
    "character for which a word is expanded",
    r"['\"$`\\*?\[{~]",
    finds="$HOME",
    spares="home",
    flags=0,
)
_CAT_HEREDOC = Pattern(
    "text that is printed as it is",
    r"\s{0,20}cat[ \t]*<<-?[ \t]*(['\"]?)(\w+)\1[^\n]*\n",
    finds="cat <<EOF\n",
    spares="cat a\n",
    flags=0,
)
_PRINT = Pattern(
    "command that prints its words",
    r"\s{0,20}(?:printf|echo)[ \t]+(?:-[en]+[ \t]+)?(?:'%s(?:\\n)?'[ \t]+)?",
    finds="echo -n a",
    spares="cat a",
    flags=0,
)
_PLAIN = Pattern(
    "characters that mean themselves", r"[^\s;&|()<>$@'\"\\]+", finds="make", spares="$", flags=0
)
_INSIDE = Pattern(
    "characters that mean themselves within quotes", r"[^\"\\$]+", finds="a b", spares="$", flags=0
)
_INNER = Pattern(
    "quoted part, or what is between two",
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^'\"\\()]+|.",
    finds="'a b'",
    spares="",
    flags=re.DOTALL,
)
_ESCAPED = Pattern(
    "what is in $'…'", r"(?:[^'\\]|\\.)+", finds=r"a\'b", spares="'", flags=re.DOTALL
)
_ESCAPE = Pattern(
    "an escape in $'…'",
    r"\\(?:(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|[0-7]{1,3})|(.))",
    finds=r"\x72m",
    spares="rm",
    flags=re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "'": "'", '"': '"', "\\": "\\"}


def simple_commands(command: str) -> Iterator[Simple]:
    """Every simple command in `command`, in order; here-documents and comments are left out.

    What an expansion would run (`$(…)`) is not looked into.
    """
    text = command[:_LONGEST].replace("\\\n", "")
    if "<<" in text:
        text = HERE_DOCUMENT.regex.sub(r"\3", text + "\n").rstrip()  # every match ends: linear time
    at = 0
    while at < len(text):
        while text[at : at + 1] == "(" or text[at : at + 1].isspace():  # what opens a command
            at += 1
        start = at
        words, literal, targets, reads, at = _plain_words(text, at)
        following = _OPERATOR.regex.match(text, at)
        at = max(following.end() if following else at + 1, start + 1)
        if literal:
            operator = following[1] if following else ""
            operator = {"\n": ";", ";;": ";", "|&": "|"}.get(operator, operator)
            words = words[: len(literal)]
            yield Simple(tuple(words), tuple(literal), operator, tuple(targets), reads)


def unwrapped(words: Sequence[str]) -> int:
    """How many words come before the program: assignments, `sudo`, `timeout 30`, `then`."""
    place = 0
    while place < len(words):
        word = words[place]
        is_limit = place and words[place - 1].endswith("timeout") and word[:1].isdigit()
        if not (word in programs.WRAPPERS or is_assignment(word) or is_limit):
            break
        place += 1
    return place


def is_assignment(word: str) -> bool:
    """Whether a word sets a variable of the environment: `PORT=3000`."""
    name, sign, _ = word.partition("=")
    return bool(sign) and name.removesuffix("+").isidentifier()


def is_file(word: str) -> bool:
    """Whether a word ends as the name of a file does."""
    _, dot, ending = word.rpartition(".")
    return bool(dot) and ending in _ENDINGS


def calls(command: str, program: str, *subcommands: str) -> Iterator[Simple]:
    """The calls of `program` with these subcommands in `command`, in order: their words, and the
    text that they read.

    Options between program and subcommand (`git -C dir commit`) are skipped.
    """
    command = command[:_LONGEST]
    if program not in command:
        return
    names = r"\s+".join(map(re.escape, subcommands))
    options = r"(?:\s+-[cC]\s+\S+|\s+--?[\w-]+(?:=\S+)?){0,6}"
    pattern = re.compile(rf"\b{re.escape(program)}{options}\s+{names}(?![\w-])")
    position = 0
    while match := pattern.search(command, position):
        position = match.end()
        before = command[max(0, match.start() - _LOOK_BACK) : match.start()]
        if _BEFORE.regex.search(before if match.start() <= _LOOK_BACK else f"…{before}"):
            words, _, _, (feeds, fed), end = _plain_words(command, match.end())
            if feeds == "<<":  # a here-document, whose text begins on the next line
                start = command.find("\n", end) % (len(command) + 1) + 1
                fed, end = _until_tag(command, start, fed.removeprefix("-"))
            position = max(position, end)
            yield Simple((program, *subcommands, *words), reads=(feeds, fed))


def _plain_words(
    text: str, at: int
) -> tuple[list[str], list[bool], list[str], tuple[str, str], int]:
    """The words from `at` to the end of the simple command, whether each is literal, the files that
    are written, what it reads (see `Simple.reads`), and the end.

    Other redirections are dropped with their targets, comments up to the end of the line. A last
    word whose quote never closes is among the words, and is not said to be literal or not.
    """
    words, literal, targets, reads = list[str](), list[bool](), list[str](), ("", "")
    word, start, redirects = "", -1, ""
    # One piece at a time: a piece is quoted, substituted or plain, and pieces without a space
    # between them are one word.
    while True:
        ends = at >= len(text) or text[at] in " \t\r\n;|)"
        opens = None if ends or text.startswith("<(", at) else _REDIRECT.regex.match(text, at)
        if start >= 0 and (ends or opens or text[at] == "&"):
            if not redirects and not (opens and word.isdigit()):
                words.append(word)
                literal.append(not _EXPANDED.regex.search(text, start, at))
            elif ">" in redirects:
                targets.append(word)
            elif redirects:
                reads = (redirects, word)
            word, start, redirects = "", -1, ""
        if opens:
            at, redirects = opens.end(), "" if opens[1] else opens[0]
        elif at < len(text) and text[at] in " \t\r":
            at += 1
        elif ends or text[at] == "&":
            return words, literal, targets, reads, at
        elif start < 0 and text[at] == "#":
            at = text.find("\n", at) % (len(text) + 1)  # to the end where no line follows
        else:
            start, opened = at if start < 0 else start, at
            piece, at = _piece(text, at)
            word += piece
            if text[opened] in "'\"" and not text.endswith(text[opened], opened + 1, at):
                return [*words, word], literal, targets, reads, len(text)  # it never closes


def _piece(text: str, at: int) -> tuple[str, int]:
    """One quoted, substituted or plain piece of a word, and where it ends."""
    char = text[at]
    if char == "'":
        return _quoted(text, at + 1, "'")
    if char == '"':
        return _double(text, at + 1)
    if char == "\\":
        following = text[at + 1 : at + 2]
        return ("" if following == "\n" else following), at + 2
    if text.startswith("$'", at):
        return _dollar_quoted(text, at + 2)
    if text.startswith(("$(", "<("), at):
        return _substitution(text, at + 2)
    if text.startswith(("@'", '@"'), at):
        return _quoted(text, at + 2, f"\n{text[at + 1]}@")
    plain = _PLAIN.regex.match(text, at)
    return (plain[0], plain.end()) if plain else (char, at + 1)


def _quoted(text: str, at: int, closing: str) -> tuple[str, int]:
    end = text.find(closing, at)
    return (text[at:], len(text)) if end < 0 else (text[at:end], end + len(closing))


def _dollar_quoted(text: str, at: int) -> tuple[str, int]:
    found = _ESCAPED.regex.match(text, at)
    inside = found[0] if found else ""
    plain = _ESCAPE.regex.sub(lambda escape: _unescaped(escape[1], escape[2]), inside)
    return plain, at + len(inside) + 1


def _unescaped(code: str | None, letter: str | None) -> str:
    """What an escape stands for: of a number, its character."""
    if code:
        is_hexadecimal = code[0] in "xuU"
        return chr(int(code.strip("xuU") or "0", 16 if is_hexadecimal else 8) % 0x110000)
    return _ESCAPES.get(letter or "", f"\\{letter}")


def _double(text: str, at: int) -> tuple[str, int]:
    parts: list[str] = []
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\", "$", "`", "!"):
            parts.append(text[at + 1])
            at += 2
        elif text.startswith("$(", at):
            piece, at = _substitution(text, at + 2)
            parts.append(piece)
        elif inside := _INSIDE.regex.match(text, at):
            parts.append(inside[0])
            at = inside.end()
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts), at + 1


def _substitution(text: str, at: int) -> tuple[str, int]:
    """The output of `$(…)` or `<(…)` if it can be known without running it, else empty."""
    heredoc = _CAT_HEREDOC.regex.match(text, at)
    printed = None if heredoc else _PRINT.regex.match(text, at)
    start = printed.end() if printed else at
    if heredoc:
        body, at = _until_tag(text, heredoc.end(), heredoc[2])
    elif printed and text[start : start + 1] in ("'", '"'):
        body, at = _piece(text, start)
    else:
        end = closing(text, start)
        body = text[start : end - 1].strip() if printed else ""
        return "" if _EXPANDED.regex.search(body) else body, end
    end = text.find(")", at)
    return body, len(text) if end < 0 else end + 1


def closing(text: str, at: int) -> int:
    """The index after the `)` that closes what was opened before `at`."""
    depth = 1
    for match in _INNER.regex.finditer(text, at):
        depth += (match[0] == "(") - (match[0] == ")")
        if not depth:
            return match.end()
    return len(text)


def _until_tag(text: str, at: int, tag: str) -> tuple[str, int]:
    """The lines from `at` to the one that is only `tag`, and the index after it."""
    end = re.compile(rf"^[ \t]*{re.escape(tag)}[ \t]*(?=\n|$|\)|\")", re.MULTILINE).search(text, at)
    return (
        (text[at:], len(text)) if end is None else (text[at : end.start()].rstrip("\n"), end.end())
    )


def option(words: tuple[str, ...], *names: str) -> list[str]:
    """The values given for an option, under any of its names: `-m X`, `--message=X`, `-mX`."""
    values: list[str] = []
    long = tuple(f"{name}=" for name in names if name.startswith("--"))
    for number, word in enumerate(words):
        if word in names:
            values.extend(words[number + 1 : number + 2])
        elif long and word.startswith(long):
            values.append(word.split("=", 1)[1])
    return values

"""Finds the triggers of a rule in its own words: which tool calls it is about.

Only what is concrete counts: a command, a path, a phrase between quotes, a tool's name. A rule
without any has no trigger, and that is said wherever it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cortex_core.base.kinds import RULE_KINDS
from cortex_core.base.tools import SHELL
from cortex_core.language import negation, programs, sentences, shell
from cortex_core.triggers import calls, matching, shell_runs
from cortex_core.triggers.forms import CHANGE, COMMAND
from cortex_core.triggers.syntax import MOST, Trigger

_LONGEST = 1500
"""Characters of a memory that are read."""


_SPAN = re.compile(r"`+([^`\n]{1,160})`+")
_QUOTED = re.compile(r"[“\"]([^”\"\n]{3,60})[”\"]")
_TOOL = re.compile(r"\bmcp__[\w-]+(?:__[\w*-]+)?")
_NO_FURTHER = re.compile(r"[:—–]|\b(?:unless|except|before|until)\b", re.IGNORECASE)
"""Behind these a prohibition does not reach."""
_POSITIVE = re.compile(
    r"\b(?:use|uses|using|prefer|run|always|only|make sure|must|should|stick to|go with|switch to"
    r"|but)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\bbefore (?:(?:each|every|any|a|the|you|we|making a|creating a|opening a|your)\s+)*"
    r"(?P<what>commit|push|merg|pull request|pr\b|releas|deploy|tagg)"
    r"|\b(?:never|don['’]?t|do not|must not) (?P<not_yet>commit|push|merg)\w*\b[^.;,]{0,40}?"
    r"\b(?:before|until|unless|without)\b",
    re.IGNORECASE,
)
_TO_MAIN = re.compile(r"(?: directly| straight)? (?:on)?to (?:the )?`?(?:main|master|trunk)\b")
_NEW_BRANCH = "git push -u"
"""A push that is none to the main branch."""
_MEANT = {"grep": "grep -r"}
"""What a rule against a program is about that every other line uses for something else."""
_OCCASIONS = (
    (re.compile(r"\bamend(?:ing|ed)?\b", re.IGNORECASE), ("git commit --amend",)),
    (
        re.compile(
            r"--no-verify\b|\bskip(?:ping)? (?:the )?(?:git |pre-commit )?hooks?\b", re.IGNORECASE
        ),
        ("git commit --no-verify", "git push --no-verify"),
    ),
    (re.compile(r"\bforce[- ]push", re.IGNORECASE), ("git push --force",)),
    (
        re.compile(
            r"\bcommit (?:message|subject|title|body)s?\b|\bcommits?\b(?! sha| hash)|"
            r"\bcommitting\b",
            re.IGNORECASE,
        ),
        ("git commit",),
    ),
    (re.compile(r"\b(?:pull requests?|PRs?)\b"), ("gh pr create",)),
    (re.compile(r"\bpush(?:es|ing)?\b(?! notification)", re.IGNORECASE), ("git push",)),
    (
        re.compile(
            r"\b(?:new branch|branch off)\b|\bname (?:the )?branches|"
            r"\bbranch(?:es)? (?:names?|are named|must be named)",
            re.IGNORECASE,
        ),
        ("git checkout -b", "git switch -c", "git worktree add"),
    ),
)
"""What a rule may be about without naming the command."""
_EVENTS = {
    "commit": "git commit",
    "push": "git push",
    "merg": "git merge",
    "pull request": "gh pr create",
    "pr": "gh pr create",
}
BEFORE_WHICH = tuple(dict.fromkeys(_EVENTS.values()))
"""The commands before which something else has to be done."""
_PATH = re.compile(
    r"(?<![\w:/@.~-])(?:[\w.@*-]+/)+[\w.*{},-]*|(?<![\w/])[\w*-]+\.[a-z]{1,6}\b|(?<!\w)\.\w[\w.*-]+"
)
_OUTSIDE = re.compile(
    r"(?:~|/(?:etc|usr|var|opt|home|Users|srv|root|tmp|Library|System|boot|mnt))/[\w.@*/-]+"
)
"""A file or folder outside of the project; other paths from the root are rather routes."""
_EDITS = re.compile(
    r"\b(?:edit|change|chang|modif|touch|writ|overwrit|delet|remov|add|mov|renam|commit|generat)\w*",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"\b(?:add|writ|put|includ|mention|append|use|log|leav|insert|sign|say)\w*\b", re.IGNORECASE
)
_PLAIN_WORD = re.compile(r"[a-z]{1,12}")
"""A word that prose has too: that it is written says nothing."""
_JUST_FORBIDDEN = re.compile(r"\b(?:never|instead of|not|no|rather than)(?: use)? $", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"[<>{}$]|\.\.\.|…|^\W+$")
_ASKS_FIRST = re.compile(
    r"\b(?:ask|confirm|check with|tell|warn|get (?:an? )?(?:approval|permission)|wait for)\b.*"
    r"\b(?:before|prior to|first)\b",
    re.IGNORECASE,
)
_REPLACES = re.compile(
    r"\b(?:never|don['’]?t|do not|not|instead|rather than|stop|avoid|use)\b", re.IGNORECASE
)
"""How a correction puts something else in the place of the call."""
_DEPENDS = re.compile(
    r"\b(?:if|when|unless|until|without|before|after|yet|first|on (?:an? )?\w+days?)\b",
    re.IGNORECASE,
)
"""How a correction says that the call is right at another time."""
_FOLLOWING = re.compile(r" (--?[A-Za-z][\w-]*|[a-z][\w:.-]*)(?=[\s,.;:!?)]|$)")


_TOPIC = re.compile(
    r"(?!.*\b(?:now on|rules?|notes?|important|remember|packages?|git|commits?|tests?|tool\w*|style"
    r"|lint\w*|format\w*|ci|prs?|shell|commands?)\b[^:]*:)(?:[^\s:`]+ ){0,3}[^\s:`]+: ",
    re.IGNORECASE,
)
"""“Shadow branches: … never use git add” speaks of one part of the program, not of every call."""


class Named(NamedTuple):
    """One concrete thing that a sentence names."""

    what: str
    """The command, path, phrase or tool."""
    form: str
    """`command`, `path`, `phrase` or `tool`."""
    at: int
    """Where it begins in the sentence."""
    end: int
    in_code: bool
    forbidden: bool


def find(
    kind: str, content: str, corrected: str = "", known: Mapping[str, str] = {}
) -> tuple[str, ...]:
    """The triggers of a memory, as lines; empty where it names nothing concrete.

    Args:
        kind: only memories that tell how something is done have triggers, and corrections.
        corrected: the call that the user corrected with these words, see `corrected.call_of`.
        known: the project's commands, by task: `test`, `lint` …
    """
    if kind not in RULE_KINDS and not corrected:
        return ()
    found: dict[str, None] = {}
    for sentence in _sentences(content):
        for trigger in _of_sentence(sentence, kind, known):
            found.setdefault(str(trigger))
    if corrected and (of_call := _of_correction(content, corrected, list(found))):
        found.setdefault(str(of_call))
    return tuple(found)[:MOST]


def commands_of(stated: Mapping[str, str]) -> dict[str, str]:
    """The first command that each statement of how a task is done names, by task."""
    found = ((task, _SPAN.search(words)) for task, words in stated.items())
    return {task: " ".join(match[1].split()) for task, match in found if match}


def names(sentence: str, program: str) -> bool:
    """Whether a sentence names a program; one whose name is a word, only in code."""
    in_code = any(program in match[1].split() for match in _SPAN.finditer(sentence))
    is_word = program in programs.WORDS_TOO or len(program) < 3 or program not in programs.IN_RULES
    return in_code or (
        not is_word and bool(re.search(rf"(?<![\w./-]){re.escape(program)}(?![\w-])", sentence))
    )


def _of_correction(content: str, corrected: str, found: Sequence[str]) -> Trigger | None:
    """The trigger for the call that was corrected, unless those of the words mean it already."""
    breaks = bool(_REPLACES.search(content)) and not _DEPENDS.search(content)
    if corrected.startswith("mcp__"):
        return None if corrected in "\n".join(found) else Trigger(corrected, breaks=breaks)
    runs = tuple(shell_runs.runs(corrected))
    if not runs or any(matching.hits(found, calls.Call(SHELL, runs))):
        return None
    command = _command_of(runs[0].words, content)
    wanted = [
        one.what
        for sentence in _sentences(content)
        for one in _named(sentence)
        if one.form == "command"
        and not one.forbidden
        and one.what != command
        and matching.means(command, one.what.split())
    ]
    return Trigger(COMMAND, command, breaks=breaks, unless=next(iter(wanted), ""))


def _command_of(words: Sequence[str], content: str) -> str:
    """The general form of a command: program, subcommand or script, and the options that matter."""
    program, *rest = words
    kept = [program]
    places = (word for word in rest if not word.startswith("-"))
    allowed = programs.SUBCOMMANDS.get(program, "").split()
    for word in places:
        is_script = program in programs.INTERPRETERS and len(kept) == 1
        is_target = program in ("make", "just", "task", "rake") and len(kept) == 1
        is_named = word.isalpha() and re.search(rf"\b{word[:5]}", content, re.IGNORECASE)
        if not (word in allowed or is_script or is_target or is_named):
            break
        kept.append(word)
        allowed = programs.SUBCOMMANDS.get(word, "").split()
    kept += [
        word
        for word in rest
        if word.startswith("-")
        and (
            program in programs.OPTIONS_MATTER
            or re.search(rf"\b{word.strip('-')}\b", content, re.IGNORECASE)
        )
    ]
    return " ".join(kept[:6])


def _sentences(content: str) -> list[str]:
    return sentences.in_lines(content[:_LONGEST])


def _of_sentence(sentence: str, kind: str, known: Mapping[str, str]) -> Iterator[Trigger]:
    named = list(_named(sentence))
    wanted = [one for one in named if not one.forbidden]
    event = _BEFORE.search(sentence)
    said = False
    for one in named:
        for trigger in _of_thing(one, sentence, wanted, kind, event is not None):
            said = True
            yield trigger
    if event is not None and (command := _EVENTS.get((event["what"] or event["not_yet"]).lower())):
        first = [each for one in wanted for each in _commands_of(one, sentence) if each != command]
        around = f"{sentence[: event.start()]} {sentence[event.end() :]}"
        first = first or [_known_for(around, known)]
        yield from (Trigger(COMMAND, command, after=after) for after in dict.fromkeys(first))
        return
    if not said and kind != "gotcha":
        yield from _of_occasion(sentence)


def _commands_of(one: Named, sentence: str) -> Iterator[str]:
    """The commands that a thing which is named consists of: all of a line such as `fmt && test`."""
    if one.form == "command" and one.in_code:
        span = sentence[one.at : one.end].strip('`“”"')
        yield from (
            _shortened(part, "command") for part in re.split(r"\s*(?:&&|;)\s*", span) if part
        )
    elif one.form == "command":
        yield one.what


def _known_for(clause: str, known: Mapping[str, str]) -> str:
    """The project's command for the task that a clause names; empty for none."""
    tasks = (programs.TASKS.get(word.lower(), "") for word in re.findall(r"[\w-]+", clause))
    return next((known[task] for task in tasks if task in known), "")


def _of_thing(
    one: Named, sentence: str, wanted: Sequence[Named], kind: str, is_before: bool
) -> Iterator[Trigger]:
    """The triggers for one thing that a sentence names."""
    if kind == "gotcha":
        yield from _of_gotcha(one, wanted)
    elif one.form == "tool":
        yield Trigger(one.what, breaks=one.forbidden)
    elif one.form == "path" and _EDITS.search(sentence):
        yield Trigger(CHANGE, one.what, breaks=one.forbidden)
    elif one.form == "phrase" and one.forbidden and _WRITES.search(_around(one, sentence)):
        yield Trigger("Text", one.what, breaks=True)
    elif one.form == "command" and one.forbidden and _TOPIC.match(sentence):
        return
    elif one.form == "command" and one.forbidden:
        unless = [each.what for each in wanted if each.form == "command" and _contains(each, one)]
        what = _MEANT.get(one.what, one.what)
        yield Trigger(COMMAND, what, breaks=True, unless=unless[0] if unless else "")
    elif one.form == "command" and _ASKS_FIRST.search(sentence, 0, one.at):
        yield Trigger(COMMAND, one.what)
    elif one.form == "command" and not is_before and _is_asked_for(one, sentence):
        yield from _ruled_out(one.what)


def _around(one: Named, sentence: str) -> str:
    return f"{sentence[: one.at]} {sentence[one.end :]}"


def _of_gotcha(one: Named, named: Sequence[Named]) -> Iterator[Trigger]:
    """What a gotcha is about: it describes, and forbids nothing."""
    commands = [each for each in named if each.form == "command"]
    if one.form == "tool":
        yield Trigger(one.what)
    elif one.form == "path":
        yield Trigger(CHANGE, one.what)
    elif commands == [one] and (" " in one.what or one.in_code):
        yield Trigger(COMMAND, one.what)


def _contains(wanted: Named, forbidden: Named) -> bool:
    """Whether the command that is wanted runs the one that is forbidden, or is a case of it."""
    return wanted.what != forbidden.what and (
        f" {forbidden.what} " in f" {wanted.what} "
        or wanted.what.split()[:1] == forbidden.what.split()[:1]
    )


def _is_asked_for(one: Named, sentence: str) -> bool:
    return bool(_POSITIVE.search(sentence[: one.at]))


def _ruled_out(command: str) -> Iterator[Trigger]:
    """What is not to be called where a program is asked for by name."""
    program, *rest = command.split()
    for group in programs.ALTERNATIVES:
        if program in group and not rest:
            others = (other for other in group if other != program)
            yield from (Trigger(COMMAND, other, breaks=True) for other in others)
    for other in programs.INSTALLERS.get(program, ()):
        if not rest or rest[0] in ("add", "sync", "install", "pip"):
            yield Trigger(COMMAND, other, breaks=True)
    if rest and (inner := _inner_of(command)):
        yield Trigger(COMMAND, inner, breaks=True, unless=command)


def _inner_of(command: str) -> str:
    """The program that a runner such as `uv run` is asked to run; empty for none."""
    runs = shell_runs.runs(command)
    inner = [run for run in runs if run.within]
    return " ".join(inner[-1].words[:1]) if inner else ""


def _of_occasion(sentence: str) -> Iterator[Trigger]:
    """The commands that a rule is about without naming them: how commits are written."""
    for pattern, commands in _OCCASIONS:
        if match := pattern.search(sentence):
            if "amend" in commands[0] and "commit" not in sentence.lower():
                continue
            forbids = " --" in commands[0] and _is_forbidden(sentence, *match.span())
            unless = _NEW_BRANCH if _TO_MAIN.match(sentence, match.end()) else ""
            for command in commands:
                yield Trigger(COMMAND, command, breaks=forbids, unless=unless)
            return


# --- what a sentence names


def _named(sentence: str) -> Iterator[Named]:
    taken: list[tuple[int, int]] = []
    for at, end, what, form, in_code in (*_in_code(sentence), *_in_words(sentence)):
        if any(at < other_end and end > other_at for other_at, other_end in taken):
            continue
        taken.append((at, end))
        yield Named(what, form, at, end, in_code, _is_forbidden(sentence, at, end))


_Place = tuple[int, int, str, str, bool]


def _in_code(sentence: str) -> Iterator[_Place]:
    for match in _SPAN.finditer(sentence):
        text = " ".join(match[1].split()).removeprefix("$ ").strip()
        if form := _form_of(text):
            is_path = _is_place(text) or _is_file(text) or _OUTSIDE.fullmatch(text)
            form = "" if form == "path" and not is_path else form
            yield match.start(), match.end(), _shortened(text, form), form, True
        else:
            yield match.start(), match.end(), text, "code", True


def _form_of(text: str) -> str:
    """What a code span is: a command, a path, a phrase; empty where it is not clear."""
    words = text.split()
    if not words:
        return ""
    if _TOOL.fullmatch(text):
        return "tool"
    if words[0] in programs.IN_RULES and not _PLACEHOLDER.search(words[0]):
        return "command"
    if len(words) == 1 and _OUTSIDE.fullmatch(text):
        return "path"
    if (
        len(words) == 1
        and _PATH.fullmatch(text)
        and ("/" in text or _is_file(text) or text.startswith("."))
    ):
        return "path"
    is_vague = _PLACEHOLDER.search(text) or _PLAIN_WORD.fullmatch(text)
    return "" if is_vague else "phrase"


def _is_place(path: str) -> bool:
    """Whether it is a file, a folder or a pattern, and not two words with a slash between them."""
    return (
        ("/" in path[:-1] and _is_file(path))
        or path.endswith("/")
        or "*" in path
        or (path.startswith(".") and len(path) > 2)
    )


def _is_file(name: str) -> bool:
    return shell.is_file(name) and not name.endswith(".log")  # rather a method than a file


def _shortened(text: str, form: str) -> str:
    """The words of a command up to its first placeholder or operator; a folder as a glob."""
    if form == "path":
        return f"{text.rstrip('/')}/**" if text.endswith("/") else text
    if form != "command":
        return text
    words: list[str] = []
    for word in text.split():
        if _PLACEHOLDER.search(word) or word in ("&&", "||", "|", ";", ">", "2>&1"):
            break
        words.append(word.strip("'\""))
    return " ".join(words[:6])


def _in_words(sentence: str) -> Iterator[_Place]:
    for match in _TOOL.finditer(sentence):
        yield match.start(), match.end(), match[0], "tool", False
    for match in _QUOTED.finditer(sentence):
        text = " ".join(match[1].split())
        form = _form_of(text)
        yield match.start(), match.end(), _shortened(text, form), form or "code", True
    for match in re.finditer(r"(?<![\w./-])([a-z][\w-]*)(?![\w./-]*\w)", sentence):
        if command := _bare_command(sentence, match):
            yield match.start(), match.start() + len(command), command, "command", False
    for match in _PATH.finditer(sentence):
        path = match[0].rstrip(".,")
        if _is_place(path):
            shown = _shortened(path, "path")
            yield match.start(), match.start() + len(path), shown, "path", False


def _bare_command(sentence: str, match: re.Match[str]) -> str:
    """The command that begins with this word outside of code; empty for none."""
    program = match[1]
    if program not in programs.IN_RULES:
        return ""
    words, at = [program], match.end()
    allowed = programs.SUBCOMMANDS.get(program, "").split()
    while following := _FOLLOWING.match(sentence, at):
        word = following[1].rstrip(".:")
        if not (word.startswith("-") or word in allowed or " ".join(words) in programs.RUNS_NEXT):
            break
        words.append(word)
        allowed = programs.SUBCOMMANDS.get(word, "").split()
        at = following.start() + 1 + len(word)
    if len(words) == 1 and program in programs.WORDS_TOO:
        return ""
    if (
        len(words) == 1
        and program in ("git", "rm")
        and not _JUST_FORBIDDEN.search(sentence, 0, match.start())
    ):
        return ""
    return " ".join(words)


def _is_forbidden(sentence: str, at: int, end: int) -> bool:
    """Whether the clause in front of a thing forbids it, or what follows it does."""
    if negation.FORBIDDEN_AFTER.regex.match(sentence[end:]):
        return True
    before = sentence[:at]
    negatives = list(negation.FORBIDS.regex.finditer(before))
    if not negatives:
        return False
    between = before[negatives[-1].end() :]
    if negatives[-1][0].lower() == "without" or _NO_FURTHER.search(between):
        return False
    return not (_POSITIVE.search(between) and re.search(r"[,;]|\bbut\b|\band\b", between))


# --- what a rule asks for instead


def things(content: str) -> Iterator[tuple[str, list[Named]]]:
    """Each sentence of a memory, and what it names."""
    return ((sentence, list(_named(sentence))) for sentence in _sentences(content))


def alternatives(program: str) -> tuple[str, ...]:
    """The programs of which a project uses one, if `program` is among them."""
    return next((group for group in programs.ALTERNATIVES if program in group), ())


def installers(command: str) -> tuple[str, ...]:
    """The package managers to ask for which is to rule out `command`, such as `pip install`."""
    return tuple(name for name, others in programs.INSTALLERS.items() if command in others)


def subcommands(program: str) -> frozenset[str]:
    """The subcommands of a program that are known."""
    return frozenset(programs.SUBCOMMANDS.get(program, "").split())


def occasions(content: str) -> tuple[str, ...]:
    """The commands that a memory is about without naming them, such as those that write commits."""
    found = (trigger for sentence in _sentences(content) for trigger in _of_occasion(sentence))
    return tuple(dict.fromkeys(trigger.pattern for trigger in found))

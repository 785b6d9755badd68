"""Finds the triggers of a rule in its own words: which tool calls it is about.

Only what is concrete counts: a command, a path, a phrase between quotes, a tool's name. A rule
without any has no trigger, and that is said wherever it is shown.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cortex_core.base.kinds import RULE_KINDS
from cortex_core.base.tools import SHELL
from cortex_core.language import negation, programs, sentences, shell
from cortex_core.triggers import calls, deeds, matching, rule_words, shell_runs, vocabulary
from cortex_core.triggers.forms import CHANGE, COMMAND, FILES, READING, TEXT
from cortex_core.triggers.stance import Stance, refers_back, stance
from cortex_core.triggers.syntax import MOST, Trigger, program_of
from cortex_core.triggers.vocabulary import WORDS, folded, is_of_code, spot

VERSION = "17"
"""Raised when words give other triggers: those of all memories are then found again."""

_LONGEST = 1500
"""Characters of a memory that are read."""


_SCRIPTS = (".sh", ".py", ".rb")


class Named(NamedTuple):
    """One concrete thing that a sentence names."""

    what: str
    """The command, path, phrase or tool."""
    form: str
    """`command`, `path`, `phrase` or `tool`; empty for what is none of them for sure."""
    at: int
    """Where it begins in the sentence."""
    end: int
    in_code: bool
    stance: Stance = "named"


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
    found: dict[str, None] = dict.fromkeys(
        line
        for sentence, named in things(content)
        for line in _narrowest(
            _in_files(_of_sentence(sentence, named, kind, known), sentence, named)
        )
    )
    if not found and kind != "gotcha":
        found = {
            f"{TEXT}({one})": None for sentence, _ in things(content) for one in _tokens(sentence)
        } or {
            # What is named, and neither wanted nor allowed, is at least what the rule is about.
            str(Trigger(COMMAND if one.form == "command" else CHANGE, one.what.rstrip("."))): None
            for sentence, named in things(content)
            for one in named
            if (one.form == "path" or (one.form == "command" and " " in one.what))
            and one.stance != "allowed"
            and not spot(folded(sentence[: one.at]), "ASKS_FOR")
        }
    if corrected and (of_call := _of_correction(content, corrected, list(found))):
        found.setdefault(str(of_call))
    return tuple(found)[:MOST]


def kind_of(content: str, by_words: str) -> str:
    """The kind of what the user wants kept: a policy where it forbids a call, whatever its words
    sound like, else the kind `by_words`. Of 160 rules as developers type them that leaves 12 facts,
    the words alone 52; of 25 facts that deny something it takes one for a rule."""
    return (
        "policy"
        if by_words not in RULE_KINDS and any(one[0] == "!" for one in find("policy", content))
        else by_words
    )


def _narrowest(triggers: Iterable[Trigger]) -> list[str]:
    """The triggers of a sentence without those that mean more than it says: “Don't prune docker
    stuff” is about prune, and no rule against all of docker."""
    stated = {str(one): one for one in triggers}
    patterns = [one.pattern for one in stated.values() if one.tool == COMMAND and one.breaks]
    exempting = {(one.tool, one.pattern) for one in stated.values() if one.unless}
    return [
        line
        for line, one in stated.items()
        if not (
            (one.breaks and any(other.startswith(f"{one.pattern} ") for other in patterns))
            or (
                one.pattern in ("git push --force", "git push -f")
                and any(other.startswith("!Push(+") for other in stated)
            )
            or (not one.unless and (one.tool, one.pattern) in exempting)
            # “Neither add nor commit dist/” is about these files alone.
            or (
                one.pattern in ("git add", "git commit")
                and any("Commit(" in other for other in stated)
            )
            # What is not to be written in a file says more than the file.
            or (one.tool == CHANGE and not one.breaks and any("Text(" in other for other in stated))
        )
    ]


def things(content: str) -> Iterator[tuple[str, list[Named]]]:
    """Each sentence of a memory, and what it names."""
    joined: list[str] = []
    for sentence in sentences.in_lines(vocabulary.spaced(content[:_LONGEST])):
        # “src/gen is written by protoc. Nobody edits in there”: what follows is about it, unless it
        # names a deed of its own: “Use pnpm. Never run the seeds.”
        if joined and refers_back(sentence) and not any(deeds.of_sentence(sentence)):
            joined[-1] = f"{joined[-1].rstrip('.!')}; {sentence}"
        else:
            joined.append(sentence)
    yield from ((sentence, _named(sentence)) for sentence in joined)


def occasions(content: str) -> tuple[str, ...]:
    """The commands that a memory is about without naming them, such as those that write commits."""
    return tuple(
        dict.fromkeys(
            trigger.pattern
            for sentence, _ in things(content)
            for trigger in deeds.of_sentence(sentence)
        )
    )


def _of_correction(content: str, corrected: str, found: Sequence[str]) -> Trigger | None:
    """The trigger for the call that was corrected, unless those of the words mean it already."""
    plain = folded(content)
    breaks = bool(spot(plain, "REPLACES")) and not spot(plain, "CONDITIONS")
    if corrected.startswith("mcp__"):
        return None if corrected in "\n".join(found) else Trigger(corrected, breaks=breaks)
    runs = tuple(shell_runs.runs(corrected))
    if not runs or any(matching.hits(found, calls.Call(SHELL, runs))):
        return None
    command = _command_of(runs[0].words, content)
    wanted = (
        one.what
        for _, named in things(content)
        for one in named
        if one.form == "command"
        and one.stance != "forbidden"
        and one.what != command
        and matching.means(command, one.what.split())
    )
    return Trigger(COMMAND, command, breaks=breaks, unless=next(wanted, ""))


def _command_of(words: Sequence[str], content: str) -> str:
    """The general form of a command: program, subcommand or script, and the options that matter."""
    program, *rest = words
    kept = [program]
    takes_any = program in programs.INTERPRETERS | programs.TARGETS
    for word in (one for one in rest if not one.startswith("-")):
        is_named = word.isalpha() and re.search(rf"\b{word[:5]}", content, re.IGNORECASE)
        is_known = word in programs.SUBCOMMANDS.get(kept[-1], "").split()
        if not (is_known or is_named or (takes_any and len(kept) == 1)):
            break
        kept.append(word)
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


def _of_sentence(
    sentence: str, named: Sequence[Named], kind: str, known: Mapping[str, str]
) -> Iterator[Trigger]:
    wanted = [one for one in named if one.stance != "forbidden"]
    event = rule_words.BEFORE.regex.search(sentence)
    found = [
        trigger
        for one in named
        for trigger in _of_thing(one, sentence, wanted, kind, event is not None)
    ]
    yield from found
    happens = rule_words.EVENTS.get((event["what"] or event["not_yet"]).lower()) if event else None
    # What has to come first: the commands that are named or, where none is, the project's own
    # command for the task that the other words name.
    first: list[str] = []
    if event and happens:
        around = f"{sentence[: event.start()]} {sentence[event.end() :]}"
        tasks = (programs.TASKS.get(word.lower(), "") for word in re.findall(r"[\w-]+", around))
        first = [each for one in wanted for each in _commands_of(one, sentence) if each != happens]
        first = first or [next((known[task] for task in tasks if task in known), "")]
    # Of pushes the words say more than the event: to which branch.
    if event and happens and (happens != "git push" or any(first)):
        yield from (Trigger(COMMAND, happens, after=after) for after in dict.fromkeys(first))
    elif kind != "gotcha":
        # What a sentence says in commands of a program needs no words for it.
        said = {
            each
            for one in named
            if " " in one.what and one.what[:4] != "git " and one.stance == "forbidden"
            for each in (one.what.split()[0], "*")
        }
        # “Never run prisma migrate reset” is about this one command, and no other migration.
        exact = (
            f"{sentence[: one.at]}`{one.what}`{sentence[one.end :]}"
            for one in named
            if one.what.count(" ") > 1 and one.stance == "forbidden" and not one.in_code
        )
        spoken = [*deeds.of_sentence(next(exact, sentence)), *_with_option(sentence)]
        bare = {
            one.what
            for one in named
            if one.form == "command"
            and one.stance in ("forbidden", "limited")
            and " " not in one.what
        }
        about = {
            program
            for each in (*found, *spoken)
            if each.tool == COMMAND
            for program in program_of(each.pattern).split("|")
        }
        yield from deeds.of_programs(sentence, bare - about)
        yield from (
            each
            for each in spoken
            if (each.breaks or not found) and (each.unless or program_of(each.pattern) not in said)
        )


def _tokens(sentence: str) -> list[str]:
    """The names of something that a sentence limits: what it wants with them is not clear."""
    return [
        match[0]
        for match in rule_words.TOKEN.regex.finditer(sentence)
        if rule_words.WITHIN.isdisjoint(sentence[: match.start()].lower().split()[-1:])
        and stance(sentence, *match.span()) in ("forbidden", "limited")
        and not any(each in sentence for each in rule_words.DESCRIBES)
    ]


def _with_option(sentence: str) -> Iterator[Trigger]:
    """The trigger of a program that is asked to be given an option always."""
    words = re.findall(r"[a-z][\w-]*", folded(sentence))
    named = [
        *(word for word in words if word in programs.IN_RULES - {"git"}),
        *(["git pull"] if "pull" in words else []),
    ]
    is_asked_for = named and "`" not in sentence and spot(folded(sentence), "ASKS_FOR")
    for option in rule_words.OPTION.regex.finditer(sentence) if is_asked_for else ():
        if stance(sentence, *option.span(1)) == "named":
            given = option[1] + (f"={option[2]}" if option[2] else "")
            yield Trigger(COMMAND, named[0], True, f"{named[0]} {given}")


def _commands_of(one: Named, sentence: str) -> list[str]:
    """The commands that a thing which is named consists of: all of a line such as `fmt && test`."""
    if one.form == "path" and one.what.endswith(_SCRIPTS):
        return [one.what.rpartition("/")[2]]
    span = sentence[one.at : one.end].strip('`“”"') if one.in_code else one.what
    parts = span.replace("&&", ";").split(";") if one.form == "command" else ()
    return [_shortened(part.strip(), "command") for part in parts if part.strip()]


def _of_thing(
    one: Named, sentence: str, wanted: Sequence[Named], kind: str, is_before: bool
) -> Sequence[Trigger]:
    """The triggers for one thing that a sentence names."""
    tool = {"command": COMMAND, "path": CHANGE, "phrase": TEXT}.get(one.form, one.what)
    trigger = Trigger(
        tool, "" if one.form == "tool" else one.what, breaks=one.stance == "forbidden"
    )
    commands = [each for each in wanted if each.form == "command"]
    if kind == "gotcha":  # it describes, and forbids nothing
        is_meant = one.form in ("tool", "path") or (
            commands == [one] and (" " in one.what or one.in_code)
        )
        return [trigger._replace(breaks=False)] if is_meant else []
    if one.form == "path":
        return _of_path(one, trigger, sentence, is_before)
    if one.form == "command" and one.stance == "forbidden":
        return _of_forbidden(one, trigger, sentence, commands)
    if one.form == "command" and one.stance == "limited":
        # “Never `git pull` without --rebase”
        lacks = spot(folded(sentence[one.end :]), "without --*, ohne --*, sin --*, sans --*")
        option = rule_words.OPTION.regex.search(sentence, one.end) if lacks else None
        unless = f"{one.what} {option[1]}" if option else ""
        narrowed = _narrowed(one.what, sentence)
        return [trigger._replace(pattern=narrowed, breaks=bool(option), unless=unless)]
    if one.form == "command":
        is_asked_for = not is_before and spot(folded(sentence[: one.at]), "ASKS_FOR")
        return _ruled_out(one.what) if is_asked_for else []
    if one.form == "library" and one.stance == "forbidden":
        return deeds.of_library(one.what)
    # An option says nothing without its command, nor a word that is not forbidden to be written.
    around = folded(f"{sentence[: one.at]} {sentence[one.end :]}")
    is_meant = (
        rule_words.BARE_NO.is_in(sentence[: one.at])
        or "=" in one.what
        or not one.in_code
        or spot(around, "WRITING") is not None
    )
    is_text = (
        one.form == "phrase"
        and one.stance in ("forbidden", "limited")
        and one.what[0] != "-"
        and is_meant
        and not any(each in sentence for each in rule_words.DESCRIBES)
    )
    return [trigger] if is_text or one.form == "tool" else []


def _of_forbidden(
    one: Named, trigger: Trigger, sentence: str, right: Sequence[Named]
) -> Sequence[Trigger]:
    """The triggers for a command that a sentence forbids, and those that are right in it."""
    ahead, head = sentence[: one.at], sentence.partition(":")[0].lower()
    program = one.what.split()[0]
    # `grep` alone is what every other line uses for something else.
    what = _narrowed("grep -r" if one.what == "grep" else one.what, sentence)
    # “No --force with git push” forbids the option alone.
    option = rule_words.OPTION.regex.search(sentence, 0, one.at)
    if option and what == one.what and not one.in_code:
        what = f"{what} {option[1]}" if stance(sentence, *option.span(1)) != "named" else what
    # “Never drop tables in psql” does not forbid psql.
    is_whole = what == one.what and " " not in what and not rule_words.BARE_NO.is_in(ahead)
    last = set(folded(ahead.rstrip("`")).split()[-1:])
    # “Generated by `make spec`” says what makes the thing that the rule is about.
    # “Let npm do it” says what is right, and “kubectl is read-only” forbids only what writes.
    is_within = (
        (is_whole and last & rule_words.WITHIN)
        or last & {"by", "durch", "let", "lass", "laisse", "deja", "lascia", "deixa", "laat"}
        or (" " not in one.what and spot(folded(sentence), "READONLY"))
    )
    # The same command is asked for by another of its names: “`docker compose`, no hyphen”.
    is_right = any(each.what == what for each in right) and not sentence[
        one.at : one.end
    ].lower().startswith(one.what)
    is_of_part = rule_words.TOPIC.is_in(sentence) and not (
        head.startswith(program) or negation.FORBIDS.is_in(head)
    )
    if is_within or is_right or is_of_part:
        return []
    # What is wanted runs the one that is forbidden, or is a case of it, as another subcommand of
    # git is not.
    depth = 2 if program == "git" else 1
    unless = next(
        (
            each.what
            for each in right
            if one.what != each.what
            and (" " in each.what or " " not in one.what)
            and (
                f" {one.what} " in f" {each.what} "
                or one.what.split()[:depth] == each.what.split()[:depth]
                or each.what.endswith((" run", " exec"))
            )
        ),
        "",
    )
    # “Don't pip install into the system python”: whether a call does that cannot be seen.
    place = folded(sentence[one.end :]).split()[:4] if what == one.what else []
    place = place if " " in what or place[:1] == ["outside"] else []
    breaks = rule_words.PLACES.isdisjoint(place[:1]) or not rule_words.HERE.isdisjoint(place)
    forbidden = [trigger._replace(pattern=what, breaks=breaks, unless=unless)]
    return forbidden + (deeds.of_library(what) if what in programs.LIBRARIES else [])


def _of_path(one: Named, trigger: Trigger, sentence: str, is_before: bool) -> list[Trigger]:
    """The triggers for a file or folder: what becomes of it where the sentence says so."""
    around = folded(f"{sentence[: one.at]}{' ' * (one.end - one.at)}{sentence[one.end :]}")
    spots = {tool: spot(around, words) for tool, words in rule_words.SPEAKS_OF.items()}
    # “legacy/: read yes, write no” allows one of two things.
    said = [tool for tool, at in spots.items() if at and stance(sentence, *at) != "allowed"]
    is_script = one.what.endswith(_SCRIPTS) and "*" not in one.what
    if is_before and is_script:
        return []
    if COMMAND in said and is_script:
        return [trigger._replace(tool=COMMAND, pattern=one.what.rpartition("/")[2])]
    named = {
        # “Don't read .env, read .env.example” is about the one alone.
        ".env": (".env",) if ".env." in sentence else (".env", ".env.*"),
        "README": ("README*",),
    }.get(one.what, (one.what,))
    # “Change the .proto and regenerate” asks for what “after you change a .proto” is about.
    is_kind = one.stance == "named" and (one.what.startswith("*.") or one.what in rule_words.KNOWN)
    if is_kind and CHANGE in said and not spot(around, "OCCASIONS"):
        return []
    # What is said of it is nothing that is known, and a branch is no folder.
    is_limited = one.stance in ("forbidden", "limited") and not rule_words.BRANCH.is_in(sentence)
    # What is only named is recalled when it changes; to read it is nothing that a rule is about.
    tools = [
        tool for tool in said if tool != COMMAND and (tool != READING or one.stance != "named")
    ] or [CHANGE] * is_limited
    # “No new files in src/” leaves those that are there alone.
    makes = spot(around, "NEWFILES") or spot(
        " ".join(folded(sentence[: one.at]).split()[-2:]), "MAKES"
    )
    new = "+" if makes and not spot(around, "CHANGE, DELETE") else ""
    ahead = sentence[: one.at]
    forbids = negation.FORBIDS.is_in(ahead) or spot(folded(ahead), "FORBIDS")
    is_place = bool(tools) and ((forbids and _is_place(ahead)) or is_of_code(folded(sentence)))
    return [
        trigger._replace(
            tool=tool,
            pattern=f"{new if tool == CHANGE else ''}{each}",
            breaks=trigger.breaks and not is_place,
        )
        for tool in ([CHANGE] if is_place else tools)
        for each in named
    ]


def _in_files(
    triggers: Iterable[Trigger], sentence: str, named: Sequence[Named]
) -> Iterator[Trigger]:
    """The triggers of a sentence, those of a text limited to the files that it is about: of a
    folder, of a language, of tests or of all else. Of what is in a test nothing is certain."""
    plain = folded(sentence)
    folders = {
        one.what: None
        for one in named
        if one.form == "path"
        and one.stance != "allowed"
        and (is_of_code(plain) or _is_place(sentence[: one.at]))
    }
    inside, outside = (
        [
            one
            for one in FILES
            if spot(plain, WORDS[group].replace("NAME", one.replace("tests", "test*")))
        ]
        for group in ("IN_FILES", "OUT_OF_FILES")
    )
    # A row that names its files already needs no language, but the folder and what is left out.
    languages = [one for one in inside if one not in outside]
    rest = ["|".join(folders)] * bool(folders) + [f"!{one}" for one in outside]
    for one in triggers:
        known = rest if " @in:" in one.pattern or not languages else ["|".join(languages), *rest]
        limits = "".join(f" @in:{each}" for each in known if one.tool == TEXT)
        yield one._replace(pattern=one.pattern + limits, breaks=one.breaks and "!" not in limits)


def _is_place(ahead: str) -> bool:
    """Whether a path behind these words is where something else is spoken of: “no `SELECT *` in
    db/” is no rule against a change of db/."""
    bare = rule_words.CODE.regex.sub("x", rule_words.SPAN.regex.sub("x", ahead))
    *words, last = folded(bare).replace("`", "").split() or [""]
    clause = words[max((n for n, word in enumerate(words, 1) if word[-1] in ",;:"), default=0) :]
    return (
        (last in rule_words.PLACES or (last == "of" and words[-1:] == ["out"]))
        and not spot(" ".join(clause), "CHANGE, DELETE, NEWFILES")
        and any(
            word not in negation.NEGATIONS and not spot(word, "MAKES, THINGS, FORBIDS")
            for word in clause
        )
    )


def _narrowed(command: str, sentence: str) -> str:
    """A forbidden command with the machine or the environment for which alone it is forbidden."""
    host = rule_words.HOST.regex.search(sentence)
    live = rule_words.LIVE.regex.search(sentence)
    if not (host or live) or command.startswith(("git", "rm")):
        return command
    return f"{command} @{host[1]}" if host else f"{command} ~{live[1]}" if live else command


def _ruled_out(command: str) -> list[Trigger]:
    """What is not to be called where a program is asked for by name."""
    program, *rest = command.split()
    others = () if rest else programs.ALTERNATIVES.get(program, ())
    if not rest or rest[0] in ("add", "sync", "install", "pip"):
        others += programs.INSTALLERS.get(program, ())
    triggers = [Trigger(COMMAND, other, breaks=True) for other in others]
    inner = [run.words[0] for run in shell_runs.runs(command) if run.within] if rest else []
    return triggers + [Trigger(COMMAND, one, breaks=True, unless=command) for one in inner[-1:]]


# --- what a sentence names


_MOST_NAMED = 40
"""Things of a sentence that are looked at: each is held against the whole of it."""


def _named(sentence: str) -> list[Named]:
    found: list[Named] = []
    for _, one in zip(range(_MOST_NAMED), _in_words(sentence), strict=False):
        if all(one.at >= other.end or one.end <= other.at for other in found):
            found.append(one._replace(stance=stance(sentence, one.at, one.end)))
    return found


def _form_of(text: str) -> str:
    """What a code span is: a command, a path, a phrase; empty where it is not clear."""
    words = text.split()
    if rule_words.TOOL.regex.fullmatch(text):
        return "tool"
    if programs.IN_RULES.intersection(words[:1]):
        return "command"
    looks_like_path = rule_words.PATH.regex.fullmatch(text) and (
        "/" in text or _is_file(text) or text.startswith(".")
    )
    if len(words) == 1 and (looks_like_path or rule_words.OUTSIDE.regex.fullmatch(text)):
        return "path"
    # That a word of prose is written says nothing.
    is_prose = text.isascii() and text.isalpha() and text.islower() and len(text) <= 12
    return "" if (is_prose or rule_words.PLACEHOLDER.regex.search(text)) or not words else "phrase"


_MORE_FILES = tuple(
    ".env .graphql .gql .prisma .ipynb .mdx .scss .po .pem .key .crt .psd .docx .xlsx .pdf .zip"
    " .plist .pbxproj .csproj .rst .tex .tfstate .mod .sum".split()
)
"""Endings of files other than those of source and settings."""


def _is_file(name: str) -> bool:
    # `console.log` is rather a method than a file.
    is_named = name[:1].isupper() and name.endswith(("file", "OWNERS", "README", "LOG", "LICENSE"))
    return name != "console.log" and (is_named or shell.is_file(name) or name.endswith(_MORE_FILES))


def _shortened(text: str, form: str) -> str:
    """The words of a command up to its first placeholder or operator; a folder as a glob."""
    if form == "path":
        return f"{text.rstrip('/')}/**" if text.endswith("/") else text
    if form != "command":
        return text
    words: list[str] = []
    for word in text.split():
        if word in ("&&", "||", "|", ";", ">", "2>&1") or rule_words.PLACEHOLDER.regex.search(word):
            break
        words.append(word.strip("'\""))
    return " ".join(words[:6])


def _in_words(sentence: str) -> Iterator[Named]:
    for pattern in (rule_words.SPAN, rule_words.QUOTED):
        for match in pattern.regex.finditer(sentence):
            text = " ".join(match[match.lastindex or 0].split()).removeprefix("$ ")
            form = "phrase" if match.lastgroup else _form_of(text)
            yield Named(_shortened(text, form), form, *match.span(), in_code=True)
    for form, pattern in (("tool", rule_words.TOOL), ("path", rule_words.OUTSIDE)):
        for match in pattern.regex.finditer(sentence):
            yield Named(_shortened(match[0], form), form, *match.span(), in_code=False)
    for match in rule_words.CODE.regex.finditer(sentence):
        if not (_is_file(match[0]) or rule_words.HOST.regex.fullmatch(match[0])):
            yield Named(match[0].rstrip(")"), "phrase", *match.span(), in_code=False)
    yield from _commands_in(sentence)
    yield from _paths_in(sentence)


def _commands_in(sentence: str) -> Iterator[Named]:
    """The commands outside of code; “no apply” is one of the program that was named before it."""
    spoken_of = ""
    for match in rule_words.WORD.regex.finditer(sentence):
        # Words before one reach no further, and a long sentence is not read again for each word.
        ahead = sentence[max(0, match.start() - 60) : match.start()]
        forbids, before = rule_words.BARE_NO.regex.search(ahead), ahead.lower().split()[-1:]
        leads = forbids or not before or before[0][-1] in ",;:(" or before[0] in rule_words.JOINS
        if leads and match[1] in _subcommands(spoken_of):
            yield Named(f"{spoken_of} {match[1]}", "command", *match.span(1), in_code=False)
        if (
            (forbids or (before == ["or"] and spoken_of in ("aws", "gcloud")))
            and spoken_of
            and "-" in match[1]
            and match[1] not in programs.IN_RULES
        ):
            yield Named(f"{spoken_of} ~{match[1]}", "command", *match.span(1), in_code=False)
        program = match[1].lower()
        # “Pull requests” and “requests to the internet” are no library.
        around = folded(sentence[max(match.start() - 15, 0) : match.end() + 10])
        if (form := rule_words.KNOWN.get(program)) and not spot(around, "NO_LIBRARY"):
            yield Named(program, form, *match.span(1), in_code=False)
        spoken_of = program if program in programs.IN_RULES else spoken_of
        if command := _bare_command(sentence, match, ahead, forbids):
            yield Named(
                command, "command", match.start(), match.start() + len(command), in_code=False
            )


def _paths_in(sentence: str) -> Iterator[Named]:
    """The files and folders outside of code."""
    for match in rule_words.PATH.regex.finditer(sentence):
        path = match[0].rstrip(".,").partition("-Datei")[0]
        before = sentence[: match.start()].lower().split()[-1:]
        if rule_words.OUT_OF.is_in(sentence[: match.start()]):
            continue  # “nothing outside of src/”: there it is right
        leads = not before or before[0] in rule_words.BEFORE_PATHS or before[0][-1] in ";:,"
        is_kind = shell.is_file(path) or "-Datei" in match[0]
        if path.startswith(".") and path.count(".") == 1 and is_kind:
            path = f"*{path}"  # “the .proto”: a kind of files
        if (
            ("/" in path[:-1] and _is_file(path))
            or path.endswith("/")
            or "*" in path
            or (path.startswith(".") and len(path) > 2)
            or (_is_file(path) and (not path.endswith(".js") or path.count(".") > 1))
            or (leads and "/" in path)
        ):
            yield Named(_shortened(path, "path"), "path", *match.span(), in_code=False)
    for match in rule_words.FOLDER.regex.finditer(sentence):
        yield Named(match[match.lastindex or 0], "path", *match.span(), in_code=False)


def _subcommands(program: str) -> set[str]:
    """What may follow a program, or one of its subcommands, outside of code."""
    others = programs.PLUMBING | programs.REMOTE_SHELLS | programs.WORDS_TOO
    is_verb = program in others - programs.NO_VERBS or program not in programs.IN_RULES
    usual = () if is_verb else programs.USUAL_SUBCOMMANDS
    return {*programs.SUBCOMMANDS.get(program, "").split(), *usual}


def _bare_command(
    sentence: str, match: re.Match[str], ahead: str, forbids: re.Match[str] | None
) -> str:
    """The command that begins with this word outside of code; empty for none.

    Args:
        ahead: what is right before the word.
        forbids: the negation with which that ends.
    """
    program = match[1].lower() if forbids else match[1]
    if program not in programs.IN_RULES:
        return ""
    # “Don't run make seed”: behind such a verb the next word is a target.
    names_target = program in ("make", "rake") and any(
        spot(one, "RUN") for one in folded(ahead).split()[-1:]
    )
    words, at = [program], match.end()
    while following := rule_words.FOLLOWING.regex.match(sentence, at):
        at_end = following.start(1) + len(following[1].rstrip(".:"))
        word = following[1].rstrip(".:").replace("/", "|")
        if forbids or word.endswith("ing"):  # “no pip installing”
            stems = (word.removesuffix(ending) for ending in ("ing", "ed", "s"))
            word = next((stem for stem in stems if stem in _subcommands(words[-1])), word)
        # “No sudo pip”, “docker compose down/stop”, “aws ec2 stop-instances”
        is_known = (
            (names_target and words == [program] and word not in programs.GOES_ON)
            or _subcommands(words[-1]).issuperset(word.split("|"))
            or (words == ["sudo"] and word in programs.IN_RULES)
            or (program in ("aws", "gcloud") and "-" in word and len(words) > 1)
        )
        if not (is_known or word.startswith("-") or " ".join(words) in programs.RUNS_NEXT):
            break
        words.append(word)
        at = at_end
    # “npm packages” is no call of npm; of other languages the words that may follow are not known.
    goes_on = re.match(r" ([a-z][\w-]*?)(s?)(?![\w-])", sentence[at:])
    joins = sentence[: match.start()].lower().endswith((" or ", " and ", " nor ", " oder ", " ni "))
    # “Instead of find” speaks of the program.
    is_swapped = forbids and (" " in forbids[0].strip() or "statt" in forbids[0].lower())
    is_part = (
        goes_on is not None
        and goes_on[0].strip() not in programs.GOES_ON
        and not (joins or is_swapped)
        and (
            # “Leave the docker volumes alone” is about these alone.
            (goes_on[2] != "" and goes_on[1] in _subcommands(program))
            or not spot(folded(sentence), "BANS, FORBIDS")
        )
    )
    # Alone, “just” or “git” is rather a word or what the sentence is about than a call.
    is_meant = is_swapped or (forbids and program in programs.NO_VERBS)
    is_vague = (program in programs.WORDS_TOO and not is_meant) or (
        program in ("git", "rm") and not forbids
    )
    command = " ".join(words).replace("docker-compose", "docker compose")
    return "" if len(words) == 1 and (is_vague or is_part) else command

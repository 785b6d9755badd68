"""What counts as keeping a rule that forbids: the commands that do the same job the right way.

A rule that forbids something is kept only where its job is done otherwise, and a count of that says
something only where such calls can be recognised. Three signs show them: the rule names what to use
instead, the forbidden program is one of several that do the same, or the forbidden command is a
common one with an option or argument.
"""

import re
from collections.abc import Iterable, Iterator

from cortex_core.language import programs
from cortex_core.triggers import finding
from cortex_core.triggers.forms import COMMAND, PUSH, TEXT
from cortex_core.triggers.syntax import Trigger
from cortex_core.triggers.vocabulary import folded, spot

SAME = {
    "git add .": ("git add -A",),
    "git push --force": ("git push --force-with-lease", "git push --mirror"),
    "git push -f": ("git push --force-with-lease", "git push --mirror"),
}
"""Commands that come to the same as a forbidden one, and keep no rule against it either."""


def right_ways(content: str, trigger: Trigger, others: Iterable[Trigger] = ()) -> tuple[str, ...]:
    """The commands, as patterns of a trigger, that keep the rule where `trigger` would break it.

    Empty where no right way can be seen: then only breaches can be counted.

    Args:
        content: the rule's words.
        others: the memory's other triggers; what they forbid is no right way.
    """
    trigger = trigger._replace(pattern=trigger.pattern.removesuffix(":*"))
    if not trigger.breaks or trigger.after:
        return ()
    if trigger.tool == TEXT:
        return finding.occasions(content)
    if trigger.tool == PUSH:
        return ("git push",)  # to another branch, or not by force
    if trigger.tool != COMMAND:
        return ()
    forbidden = {
        one.pattern.removesuffix(":*")
        for one in (trigger, *others)
        if one.breaks and one.tool == COMMAND
    }
    plain = _plain_form(trigger.pattern)
    found = [plain] if plain else list(_asked_for(content, trigger))
    # “Use deno, never npm”: what it asks for first need be no program that is known.
    first = folded(content).partition(",")[0].partition(" instead of ")[0].removeprefix("use ")
    if not found and content[:4].casefold() == "use " and len(first.split()) <= 2:
        found = [first]
    if not found:  # another program of the same group, where a whole one is forbidden
        banned = {one.split()[0] for one in forbidden}
        same_job = programs.ALTERNATIVES.get(trigger.pattern, ())
        found = [other for other in same_job if other not in banned]
    return tuple(one for one in dict.fromkeys(found) if one not in forbidden)


def _plain_form(pattern: str) -> str:
    """A forbidden command without what is forbidden about it: `git push` of `git push --force`.

    Empty where all of it is forbidden.
    """
    words = pattern.split()
    rest = [word for word in words if not word.startswith("-")]
    has_options = len(rest) < len(words)
    if rest[0] in ("chmod", "kill", "rm"):  # without the option they do the same job
        return rest[0] if len(words) > 1 else ""
    if len(rest) < 2 or rest[1] not in programs.SUBCOMMANDS.get(rest[0], "").split():
        return ""
    # These subcommands have subcommands of their own.
    nested = "compose exec issue pip pr release repo run stash system workflow".split()
    length = 3 if rest[1] in nested else 2
    if len(rest) < length or (length == len(rest) and not has_options):
        return ""
    return " ".join(rest[:length]) if has_options or length == 2 else ""


def _asked_for(content: str, trigger: Trigger) -> Iterator[str]:
    """What the rule's own sentences name to use instead."""
    program, *rest = trigger.pattern.split()
    for sentence, named in finding.things(content):
        about = re.search(rf"(?<![\w-]){re.escape(program)}(?![\w-])", sentence)
        for one in named:
            if one.form != "command" or one.stance == "forbidden":
                continue
            other = one.what.split()[0]
            if trigger.pattern in programs.INSTALLERS.get(other, ()):
                yield from (f"{other} {how}" for how in ("add", "install", "sync", "pip"))
            elif other in programs.ALTERNATIVES.get(program, ()):
                yield " ".join((one.what, *rest)) if other == one.what else one.what
            elif (
                about
                and not spot(folded(sentence), "CONDITIONS")
                and spot(folded(sentence[: one.at].rpartition(";")[2]), "ASKS_FOR")
            ):
                yield one.what

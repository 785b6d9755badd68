"""Whether rules were kept: each tool call of a session that was an occasion of one, and what came.

A rule that forbids is broken by a call that it forbids, and kept by one that does the same job
otherwise. A rule that wants a command first is kept if that had succeeded since the last change of
a file, and else broken. Only calls that ran count; where a transcript does not show whether
one did, or how a command ended, nothing is counted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from cortex_core.base.tools import CHANGING, SHELLS
from cortex_core.language import programs, shell, shell_results
from cortex_core.records.events import Event
from cortex_core.triggers import calls, matching, shell_runs, syntax
from cortex_core.triggers.calls import Call
from cortex_core.triggers.forms import CHANGE, COMMAND, PUSH, READING, STAGED, TEXT
from cortex_core.triggers.right_ways import SAME, right_ways
from cortex_core.triggers.shell_runs import ShellRun
from cortex_core.triggers.syntax import Trigger

_Verdicts = dict[str, tuple[bool, str]]
"""By rule, whether a call kept it, and the words of the call that show it."""


class CheckableRule(NamedTuple):
    """A rule that can be checked."""

    id: str
    """Of its memory."""
    triggers: tuple[Trigger, ...]
    """Those that can be judged."""
    rights: Mapping[Trigger, tuple[str, ...]]
    """By trigger, the commands that do the same job the right way."""

    @property
    def is_countable(self) -> bool:
        """Whether keeping it can be seen, and not only breaking it."""
        return any(
            trigger.after or trigger.unless or self.rights.get(trigger) for trigger in self.triggers
        )


class RuleOccasion(NamedTuple):
    """A call at which a rule was kept or broken."""

    rule: str
    kept: bool
    call: str
    """What was called, with everything in it."""
    use: Event
    """The use of the tool."""
    turn: int
    """The number of the turn in its session, counted from 1."""


@lru_cache(maxsize=2048)
def rule(id: str, content: str, lines: tuple[str, ...]) -> CheckableRule | None:
    """The rule that a memory states, with what of its triggers can be judged.

    None where nothing can: an occasion alone does not show what was made of it.
    """
    stated = [trigger for line in lines if (trigger := syntax.parsed(line))]
    judged = tuple(trigger for trigger in stated if trigger.breaks or trigger.after)
    if not judged:
        return None
    return CheckableRule(
        id, judged, {trigger: right_ways(content, trigger, judged) for trigger in judged}
    )


class Watch:
    """Follows the events of one session, in order, with those of its sub-agents."""

    def __init__(self, rules: Iterable[CheckableRule], root: str = "") -> None:
        """Args:
        root: the project's folder; a session that ran elsewhere has its first folder in place.
        """
        self._root = root
        self._top = ""
        self._turn = 0
        self._waiting: dict[str, tuple[Event, int]] = {}
        self._done: dict[str, bool | None] = {}
        """By command that has to come first, whether it has succeeded since the last change;
        None: it ran, and how it ended is not shown."""
        self._others: list[tuple[str, Trigger]] = []
        """Triggers that are no commands, with their rules."""
        self._programs: dict[str, list[tuple[str, Trigger, str]]] = {}
        """By program, the commands that are looked for: rule, trigger and right way, which is
        empty for what the trigger means itself."""
        for one in rules:
            for trigger in one.triggers:
                self._look_for(one, trigger)

    def _look_for(self, one: CheckableRule, trigger: Trigger) -> None:
        if trigger.after:
            self._done[trigger.after] = False
        commands = [(right, right) for right in one.rights.get(trigger, ())]
        if trigger.tool == COMMAND:
            commands.append((trigger.pattern, ""))
        else:
            self._others.append((one.id, trigger))
        for pattern, right in commands:
            for program in syntax.program_of(pattern).split("|"):
                self._programs.setdefault(program, []).append((one.id, trigger, right))

    def see(self, event: Event) -> Iterator[RuleOccasion]:
        """Follow one event; yields the occasions that it completes."""
        if event.role in ("human", "compaction") and not event.sidechain:
            self._turn += 1
        elif event.role == "tool_use" and event.tool_id:
            self._waiting[event.tool_id] = (event, max(1, self._turn))
        elif event.role == "tool_result" and event.tool_id in self._waiting:
            use, turn = self._waiting.pop(event.tool_id)
            if not event.denied:
                yield from self._judge(use, event, turn)

    def _judge(self, use: Event, result: Event, turn: int) -> Iterator[RuleOccasion]:
        top = self._top_of(use.cwd)
        if use.tool in SHELLS:
            verdicts = self._of_line(use, result, top)
        elif use.tool in CHANGING and result.failed:
            return
        else:
            called = calls.read(use.tool, dict(use.input), use.cwd, top)
            verdicts = self._of_call(called, use)
            if any(map(_is_inside, called.changed)):
                self._done = dict.fromkeys(self._done, False)
        for id, (kept, call) in verdicts.items():
            yield RuleOccasion(id, kept, call, use, turn)

    def _top_of(self, folder: str) -> str:
        if self._root and (folder == self._root or folder.startswith(f"{self._root}/")):
            self._top = self._root
        self._top = self._top or folder
        return self._top

    # --- other tools

    def _of_call(self, called: Call, use: Event) -> _Verdicts:
        verdicts: _Verdicts = {}
        for id, trigger in self._others:
            if trigger.tool == READING and use.tool in CHANGING:
                continue
            if matching.matches(trigger, called):
                what = f"{trigger.pattern}: " if trigger.tool == TEXT else ""
                path = next(iter((*called.changed, *called.read)), "")
                _note(verdicts, id, self._kept(trigger), f"{what}{use.tool_name} {path}".strip())
        return verdicts

    def _kept(self, trigger: Trigger) -> bool | None:
        """What a call that a trigger means makes of its rule; None: nothing that can be said."""
        return self._done[trigger.after] if trigger.after else False

    # --- lines of a shell

    def _of_line(self, use: Event, result: Event, top: str) -> _Verdicts:
        line = use.input.get("command")
        if not isinstance(line, str):
            return {}
        # Which branch another folder had then is not known, nor what lay on the disk.
        runs = calls.with_git(
            shell_runs.runs(line), use.cwd, top, lambda folder: use.branch * (folder == use.cwd)
        )
        outcomes = _outcomes(line, use, result)
        verdicts: _Verdicts = {}
        ran: list[ShellRun] = []
        for run in runs:
            has_run, worked = outcomes[run.part] if 0 <= run.part < len(outcomes) else (True, None)
            if not has_run:
                continue
            ran.append(run)
            is_folder = run.words[0] in programs.FOLDER_MAKERS
            changed = () if is_folder else calls.changed_by(run, use.cwd, top)
            for id, trigger, right in self._programs.get(run.words[0], ()):
                _note(verdicts, id, self._of_run(trigger, right, run), " ".join(run.words))
            touched = Call(use.tool, (run,), changed, calls.read_by(run, use.cwd, top))
            for id, trigger in self._others:
                if trigger.tool in (CHANGE, READING, PUSH, STAGED) and matching.matches(
                    trigger, touched
                ):
                    _note(verdicts, id, self._kept(trigger), " ".join(run.words))
            # A change makes what was done before it, such as a test, count no more.
            if any(map(_is_inside, changed)):
                self._done = dict.fromkeys(self._done, False)
            ended = (one for one in self._done if matching.means(one, run.words))
            self._done.update(dict.fromkeys(ended, worked))
        for id, trigger in self._others:
            if trigger.tool == TEXT and (writer := _writer(trigger, line, ran)):
                _note(
                    verdicts,
                    id,
                    self._kept(trigger),
                    f"{trigger.pattern}: {' '.join(writer.words)}",
                )
        return verdicts

    def _of_run(self, trigger: Trigger, right: str, run: ShellRun) -> bool | None:
        """Whether a command keeps the rule (True) or breaks it; None: neither.

        Args:
            right: the right way that is looked for; empty to look for what the trigger means.
        """
        is_meant = trigger.tool == COMMAND and any(
            matching.means(trigger.pattern, words)
            and not (trigger.breaks and matching.looks_up(trigger.pattern, words))
            for words in matching.spoken(run)
        )
        if right:
            same = SAME.get(trigger.pattern, ())
            is_doubtful = is_meant or any(matching.means(one, run.words) for one in same)
            return True if not is_doubtful and matching.means(right, run.words) else None
        if not is_meant:
            return None
        if matching.is_exempt(trigger, run):
            return True if trigger.breaks else None
        return self._kept(trigger)


def _note(verdicts: _Verdicts, id: str, kept: bool | None, call: str) -> None:
    """Note a verdict; one call that breaks a rule somewhere has broken it."""
    if kept is not None and (id not in verdicts or (verdicts[id][0] and not kept)):
        verdicts[id] = (kept, call)


# --- calls


def _outcomes(line: str, use: Event, result: Event) -> list[tuple[bool, bool | None]]:
    """For each simple command of a line: whether it ran for sure, and whether it worked.

    What follows `||` may not have run, nor what follows `&&` in a line that failed.
    """
    parts = list(shell.simple_commands(line))
    pipes, results = shell_results.judged(parts, result.text, result.failed)
    if any(part.words[0] in shell_results.KEYWORDS for part in parts):
        results = [None] * len(pipes)
    is_in_background = bool(use.input.get("run_in_background")) or bool(
        shell_results.WENT_ON.regex.match(result.text)
    )
    has_no_folder = bool(shell_results.NO_FOLDER.regex.search(result.text))
    outcomes: list[tuple[bool, bool | None]] = []
    is_doubtful = False  # whether what comes next ran at all
    for pipe, worked in zip(pipes, results, strict=True):
        end = pipe[-1].operator
        known = None if worked and (is_in_background or end == "&") else worked
        outcomes += [(not is_doubtful, known)] * len(pipe)
        if end == "||":
            is_doubtful = True
        elif end != "&&":
            is_doubtful = False
        elif result.failed and (has_no_folder or not shell_results.is_plumbing(pipe[0])):
            is_doubtful = True
    return outcomes


def _is_inside(path: str) -> bool:
    """Whether a changed file is one of the project."""
    return not path.startswith(("/", "../", "~", "$")) and path not in ("", ".", "..")


def _writer(trigger: Trigger, line: str, ran: Sequence[ShellRun]) -> ShellRun | None:
    """The command of a line that writes the text, as an argument or from a here-document."""
    phrase = syntax.phrase(trigger.pattern)
    if not phrase.search(line):
        return None
    holders = [run for run in ran if phrase.search(" ".join(run.words))]
    for run in holders or (ran if "<<" in line else ()):
        program = run.words[0]
        if program == "git":
            writes = bool({"commit", "merge", "notes", "tag"} & set(run.words[1:4]))
        elif holders:
            writes = program not in programs.PLUMBING and not calls.runs_code(run.words)
        else:
            writes = program in programs.SENDERS
        if writes or run.written:
            return run
    return None

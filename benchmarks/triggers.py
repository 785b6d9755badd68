"""Which rules have triggers, and how many of the lines given at real tool calls fit, by labels.

    CORTEX_DATA=DIR python -m benchmarks.triggers [--draw 200] [--show] [--record]

Draws tool calls from the development transcripts at random and matches them against the rules that
an import of the same project keeps, and against `RULES`: thirty rules such as developers have. A
line that is given is judged by a reader, and so is each drawn call that gets none of the thirty:
`trigger_labels.json` names both by the hash of rule and call, and holds no text of other people.
What no label covers is reported, and printed with `--show`; it counts neither way.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.extraction import imported
from benchmarks.report import Figure
from cortex_core.agents.claude import reader, sessions
from cortex_core.base.kinds import RULE_KINDS
from cortex_core.base.text import content_hash
from cortex_core.base.tools import CHANGING, SHELLS
from cortex_core.triggers import calls, finding, matching

LABELS = Path(__file__).with_name("trigger_labels.json")

RULES = (
    "Use pnpm, never npm.",
    "Never push directly to main.",
    "Run the tests before each commit.",
    "Never use `git add -A`, add files by name.",
    "Never commit with --no-verify.",
    "Commit messages are in imperative mood, at most 72 characters.",
    "Never add `Co-Authored-By` to commit messages.",
    "Never run `rm -rf`.",
    "Always use rg instead of grep.",
    "Never edit files under `node_modules/`.",
    "Don't edit `pnpm-lock.yaml` by hand.",
    "Use `uv run pytest`, never bare pytest.",
    "Ask before you open a pull request.",
    "Never force-push.",
    "Don't amend commits.",
    "Run `mise run fmt` before committing.",
    "Never edit `.env` files.",
    "Never use `sed -i` to edit files, use the Edit tool.",
    "Prefer podman over docker.",
    "Never use `any` in TypeScript.",
    "Don't write `console.log`, use the logger.",
    "Run `pnpm test` before opening a pull request.",
    "Never use `git stash`.",
    "Don't kill processes by name: pkill and killall are forbidden.",
    "Never use mcp__linear__update_issue without asking.",
    "Use `git switch`, not `git checkout`.",
    "Never write `fmt.Println` in Go code.",
    "Ask me before changing `CLAUDE.md`.",
    "Always answer in German.",
    "Keep functions short.",
)
"""Rules such as developers have, in words of our own."""


class Drawn(NamedTuple):
    """A tool call of a transcript."""

    project: str
    tool: str
    tool_name: str
    """What the agent calls it."""
    given: Mapping[str, Any]
    folder: str

    @property
    def words(self) -> str:
        """What it does, for a reader."""
        given = self.given
        return str(given.get("command") or given.get("file_path") or json.dumps(dict(given)))


class Line(NamedTuple):
    """A rule that is given with a call; no rule for a call that gets none."""

    call: Drawn
    rule: str

    @property
    def name(self) -> str:
        """The hash by which it is labelled."""
        return content_hash(f"{self.rule}\n{self.call.tool_name}\n{self.call.words}")[:16]


def calls_of(folder: Path) -> Iterator[Drawn]:
    """The tool calls of a project's sessions at which the hook is asked, without repetitions."""
    seen = set()
    for path in (one.path for one in sessions.at(folder, sidechains=True)):
        with reader.read(path) as events:
            for event in events:
                is_asked = event.tool in (*SHELLS, *CHANGING) or event.tool.startswith("mcp__")
                if event.role == "tool_use" and is_asked and event.tool_id not in seen:
                    seen.add(event.tool_id)
                    arguments = dict(event.input)
                    yield Drawn(folder.name, event.tool, event.tool_name, arguments, event.cwd)


def given(call: Drawn, rules: Mapping[str, Sequence[str]]) -> Iterator[Line]:
    """The lines that a call is given, by rule and its triggers."""
    called = calls.read(call.tool, call.given, call.folder, call.folder)
    for rule, lines in rules.items():
        if any(matching.hits(lines, called)):
            yield Line(call, rule)


def judged(lines: Sequence[Line], labels: Mapping[str, str]) -> Counter[str]:
    """How many lines have which label; `unlabelled` for none."""
    return Counter(labels.get(line.name, "unlabelled") for line in lines)


def share(part: int, whole: int) -> float:
    """Percent; of nothing, 0."""
    return 100 * part / whole if whole else 0.0


def figures(
    rules: Counter[str], own: Counter[str], drawn: int, made: Counter[str], missed: Counter[str]
) -> Iterator[Figure]:
    """Shares of rules with triggers, of lines that fit, and of calls that get one that does not."""
    yield Figure("kept rules with a trigger", share(rules["with"], rules.total()), "%")
    yield Figure("lines of the project's own rules", own.total())
    yield Figure(
        "calls given a line of their project that does not fit",
        share(own["wrong"], drawn),
        "%",
        2,
        0.5,
    )
    read = made["fits"] + made["wrong"]
    yield Figure("lines of thirty rules that fit", share(made["fits"], read), "%", 90, 97, True)
    yield Figure(
        "calls without a line that should have one",
        share(missed["missed"], missed["none"] + missed["missed"]),
        "%",
        5,
    )
    yield Figure("not labelled", (own + made + missed)["unlabelled"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "triggers")
    parser.add_argument("--draw", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what no label knows")
    chosen = parser.parse_args(arguments)
    labels: Mapping[str, str] = json.loads(LABELS.read_text("utf-8"))["lines"]
    folders = sorted(report.data_folder(chosen, "transcripts").iterdir())
    calls = {folder.name: list(calls_of(folder)) for folder in folders if folder.is_dir()}
    kept = {folder.name: _rules_of(folder) for folder in folders if folder.is_dir()}
    typical = {rule: finding.find("policy", rule) for rule in RULES}
    chance = random.Random(chosen.seed)
    every = [call for each in calls.values() for call in each]
    drawn = chance.sample(every, min(chosen.draw, len(every)))
    own = [line for call in drawn for line in given(call, kept[call.project])]
    matched = [line for call in every for line in given(call, typical)]
    made = chance.sample(matched, min(chosen.draw, len(matched)))
    silent = [Line(call, "") for call in every if not any(given(call, typical))]
    without = chance.sample(silent, min(chosen.draw, len(silent)))
    if chosen.show:
        _show([*own, *made, *without], labels)
    rules = Counter(
        "with" if lines else "without" for each in kept.values() for lines in each.values()
    )
    measured = list(
        figures(
            rules, judged(own, labels), len(drawn), judged(made, labels), judged(without, labels)
        )
    )
    details = {
        "calls": len(every),
        "rules": rules.total(),
        "typical": typical,
        "by_rule": Counter(line.rule for line in matched),
    }
    return report.finish("triggers", chosen, measured, details)


def _rules_of(folder: Path) -> dict[str, Sequence[str]]:
    """The triggers of the rules that an import of a project keeps or suggests, by their words."""
    found = imported(folder)
    return {
        one.content: one.triggers
        for one in (*found.kept, *found.suggested)
        if one.kind in RULE_KINDS or one.triggers
    }


def _show(lines: Sequence[Line], labels: Mapping[str, str]) -> None:
    for line in lines:
        if line.name not in labels:
            print(f"\n{line.name} {line.call.tool_name}: {line.rule or '(no line)'}")
            print(f"  {line.call.words[:400]}")


if __name__ == "__main__":
    sys.exit(main())

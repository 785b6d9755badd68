"""Whether what the user says later wins, and whose words become a rule.

    python -m benchmarks.reversals [--show] [--record]

Pairs of statements in nine languages, written by somebody who knew no code: what the user said, and
what they say later. Some change or withdraw it, some only look alike, some are about something
else. Each earlier one is kept, by “Remember:” in a session or typed; then the later one is said in
a session of its own, as written, or typed. Prompts of all kinds (own rules, tasks, quotations, what
was pasted, irony, opinions of others, hypotheses, what holds until a date) are said in sessions
too. The rules were written with `reversals.json` and `speakers.json`; nobody who wrote them read
the other halves, of which `--show` says nothing.

With a model: five pairs at a time of the unseen half are typed and said in one project, and the
session is read by recorded answers, which readers wrote who saw the requests alone. Prompts of that
half are said five in a session too, own rules and all others as they come; what quotes one of them
is counted as its own. No session has two pairs, or prompts, on one subject: what one of them says
would retire the other's, and rightly. `--requests DIR` writes the requests that have no answer yet.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import report
from benchmarks.reading import RecordedTransport, reader
from benchmarks.report import Figure
from cortex_core import Cortex, worker_run
from cortex_core.base.kinds import EPISODE
from tests.transcript_samples import Sample

HALVES = {"seen": "", "unseen": "_unseen"}
ANSWERS = Path(__file__).with_name("reversals_answers.json")
TOGETHER = 5
"""Pairs whose later statements, and prompts that, are said in one session that a model reads."""
NOON, HOUR = 1_789_646_400.0, 3600.0
OVER = ("change", "withdrawal")
"""The kinds of pairs of which the earlier statement holds no longer."""

Pair = dict[str, str]


def read(name: str, half: str) -> list[Pair]:
    """The pairs, or prompts, of one half."""
    path = Path(__file__).with_name(f"{name}{HALVES[half]}.json")
    found: list[Pair] = json.loads(path.read_text("utf-8"))
    return found


class Desk:
    """A project in which the user types and sessions pass, an hour apart."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now = folder, NOON
        project = folder / "project"
        (project / ".memory").mkdir(parents=True)
        self.cortex = Cortex.open(project, home=folder / "home", clock=lambda: self.now)

    def say(self, *prompts: str) -> list[str]:
        """Let a session of these prompts pass.

        Returns:
            Where each of them is: its record in the transcript.
        """
        self.now += HOUR
        at = datetime.fromtimestamp(self.now, UTC)
        sample = Sample(f"s{self.now}", cwd=str(self.cortex.project.root), start=at)
        sample.assistant("It is done.")
        said = []
        for prompt in prompts:
            said.append(str(sample.human(prompt).records[-1]["uuid"]))
            sample.assistant("All right.")
        path = sample.write(self.folder / f"{self.now:.0f}.jsonl")
        self.cortex.exchange.import_transcripts([path])
        return said

    def type(self, words: str) -> None:
        """Let the user type a memory."""
        self.now += HOUR
        self.cortex.remember(words, kind="policy")

    def in_force(self) -> dict[str, str]:
        """By id, the words of the memories in force: those that no later word has overtaken."""
        overtaken = {
            name
            for _, proposal in self.cortex.review.proposals()
            for name in proposal.members[1:]
            if proposal.type == "supersede"
        }
        return {
            memory.id: memory.content
            for memory in self.cortex.list()
            if memory.id not in overtaken and memory.kind != EPISODE
        }

    def heard(self) -> tuple[dict[str, str], set[str]]:
        """By the record that said it, what is in force; and the records of which something is in
        force or suggested."""
        kept, in_force = {}, self.in_force()
        for name, words in in_force.items():
            kept.update({one.message: words for one in self.cortex.show(name).sources})
        waiting = (self.cortex.show(one.id) for one in self.cortex.suggestions.list())
        return kept, {*kept, *(one.message for each in waiting for one in each.sources)}


@contextmanager
def desk() -> Iterator[Desk]:
    """A project of its own, gone afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        made = Desk(Path(folder))
        with made.cortex:
            yield made


def tried(pair: Pair, *, typed: bool) -> tuple[bool, bool]:
    """Whether the earlier statement was retired, and whether the next note has both."""
    with desk() as at:
        at.type(pair["earlier"]) if typed else at.say(f"Remember: {pair['earlier']}")
        earlier = next(iter(at.in_force()), "")
        at.type(pair["later"]) if typed else at.say(pair["later"])
        note, others = at.cortex.surface().text, set(at.in_force()) - {earlier}
        is_both = earlier[:8] in note and any(name[:8] in note for name in others)
        return bool(earlier) and earlier not in at.in_force(), bool(earlier) and is_both


def crowd(pairs: Sequence[Pair], prompts: Sequence[Pair]) -> tuple[int, int]:
    """How many of all the earlier statements, kept in one project, are retired by the later word on
    another one, and by prompts that are no rule."""
    with desk() as at:
        for pair in pairs:
            at.say(f"Remember: {pair['earlier']}")
        kept = at.in_force()
        wrong = Counter[str]()
        for each in (*pairs, *(one for one in prompts if one["kind"] not in ("rule", "dated"))):
            before = at.in_force()
            words = each.get("later", each.get("prompt", ""))
            at.say(words)
            gone = [kept[name] for name in before if name in kept and name not in at.in_force()]
            own = f"{each.get('earlier', '')}"
            part = "pairs" if own else "prompts"
            wrong[part] += sum(own.strip(" .").casefold() not in one.casefold() for one in gone)
        return wrong["pairs"], wrong["prompts"]


def reversals(half: str, *, show: bool) -> tuple[list[Figure], list[Pair]]:
    """The figures of one half of the pairs, and the pairs."""
    pairs = read("reversals", half)
    figures = []
    for way, typed in (("said", False), ("typed", True)):
        retired, both = Counter[bool](), 0
        for pair in pairs:
            is_over = pair["kind"] in OVER
            is_retired, has_both = tried(pair, typed=typed)
            retired[is_over] += is_retired
            both += is_over and has_both
            if show and half == "seen" and is_over is not is_retired:
                print(f"{way:6} {pair['kind']:10} {pair['earlier']}  |  {pair['later']}")
        over = sum(pair["kind"] in OVER for pair in pairs)
        rest = len(pairs) - over
        figures += [
            Figure(f"{half}, {way}: retired", 100 * retired[True] / over, "%", 90, more=True),
            Figure(f"{half}, {way}: retired wrongly", 100 * retired[False] / rest, "%", 2),
        ]
        if typed:
            figures.append(Figure(f"{half}, {way}: notes with both, of {over}", both, must=0))
    return figures, pairs


def asked(half: str) -> list[Figure]:
    """About which pairs a user is asked who types the later statement where all the earlier ones of
    the half are in force."""
    pairs = read("reversals", half)
    kinds, about, others = Counter[str](), Counter[str](), 0
    with desk() as at:
        for pair in pairs:
            at.type(pair["earlier"])
        for pair in pairs:
            kind = "change" if pair["kind"] in OVER else pair["kind"]
            near = {one.content for one in at.cortex.graph.near(pair["later"])}
            kinds[kind] += 1
            about[kind] += pair["earlier"] in near
            others += not near <= {pair["earlier"]}
    shares = {kind: 100 * about[kind] / count for kind, count in kinds.items()}
    return [
        Figure(f"{half}, typed: asked about what changes", shares["change"], "%", 90, more=True),
        Figure(f"{half}, typed: asked about what is only alike", shares["alike"], "%", 34),
        Figure(f"{half}, typed: asked about something else", 100 * others / len(pairs), "%"),
    ]


def by_model(transport: RecordedTransport) -> list[Figure]:
    """What a model that reads the sessions afterwards takes for overtaken, of the unseen half."""
    pairs = read("reversals", "unseen")
    retired = Counter[bool]()
    for number, start in enumerate(range(0, len(pairs), TOGETHER)):
        some = pairs[start : start + TOGETHER]
        with desk() as at, reader(transport) as extractor:
            for pair in some:
                at.type(pair["earlier"])
            worker_run.maintain(at.cortex)
            kept = at.in_force()
            at.cortex.settings.set("extractor", extractor)
            transport.begin(f"unseen {number}")
            at.say(*(pair["later"] for pair in some))
            gone = {words for name, words in kept.items() if name not in at.in_force()}
        for pair in some:
            retired[pair["kind"] in OVER] += pair["earlier"] in gone
    over = sum(pair["kind"] in OVER for pair in pairs)
    rest = 100 * retired[False] / (len(pairs) - over)
    return [
        Figure("unseen, by a model: retired", 100 * retired[True] / over, "%", 90, more=True),
        Figure("unseen, by a model: retired wrongly", rest, "%", 2),
    ]


def speakers_by_model(transport: RecordedTransport, *, show: bool = False) -> list[Figure]:
    """Whose words a model that reads the sessions afterwards takes for the user's own rules, of the
    unseen half; `show`: print the kinds of prompts and the memories that are wrongly in force."""
    prompts = read("speakers", "unseen")
    sessions = -(-len(prompts) // TOGETHER)
    missed = junk = 0
    for number in range(sessions):
        # Neighbours in the file are often of one mind: each session takes every n-th.
        some = prompts[number::sessions]
        with desk() as at, reader(transport) as extractor:
            at.cortex.settings.set("extractor", extractor)
            transport.begin(f"speakers {number}")
            said = at.say(*(prompt["prompt"] for prompt in some))
            kept, heard = at.heard()
        for prompt, record in zip(some, said, strict=True):
            is_rule = prompt["kind"] == "rule"
            missed += is_rule and record not in heard
            if prompt["kind"] not in ("rule", "dated") and record in kept:
                junk += 1
                if show:
                    print(f"speakers {number}: {prompt['kind']}: {kept[record]!r}")
    rules = sum(prompt["kind"] == "rule" for prompt in prompts)
    return [
        Figure("unseen, by a model: junk in force", junk, must=0),
        Figure("unseen, by a model: own rules missed", 100 * missed / rules, "%", 10),
    ]


def speakers(half: str, *, show: bool) -> tuple[list[Figure], list[Pair]]:
    """The figures of one half of the prompts, and the prompts."""
    prompts = read("speakers", half)
    count, kept, heard = Counter[str](), Counter[str](), Counter[str]()
    for prompt in prompts:
        kind = prompt["kind"]
        with desk() as at:
            at.say(prompt["prompt"])
            found = (len(at.in_force()), len(at.cortex.suggestions.list()))
        count[kind] += 1
        kept[kind] += found[0] > 0
        heard[kind] += any(found)
        is_wrong = not any(found) if kind == "rule" else any(found)
        if show and half == "seen" and is_wrong:
            print(f"{kind:10} {found} {prompt['prompt'][:150]!r}")
    junk = sorted(count.keys() - {"rule", "dated"})
    missed = 100 * (count["rule"] - heard["rule"]) / count["rule"]
    suggested = 100 * sum(heard[kind] for kind in junk) / sum(count[kind] for kind in junk)
    return [
        Figure(f"{half}: junk in force", sum(kept[kind] for kind in junk), must=0),
        Figure(f"{half}: own rules missed", missed, "%", 10),
        Figure(f"{half}: junk suggested", suggested, "%"),
        *(Figure(f"{half}: {kind} heard, of {count[kind]}", heard[kind]) for kind in sorted(count)),
    ], prompts


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the run; 1 where a bound is missed."""
    parser = report.options(__doc__, "reversals")
    parser.add_argument("--show", action="store_true", help="print what is judged wrongly")
    parser.add_argument("--half", choices=HALVES, help="only this half")
    parser.add_argument("--requests", type=Path, help="write requests without an answer here")
    chosen = parser.parse_args(arguments)
    recorded = json.loads(ANSWERS.read_text("utf-8")) if ANSWERS.exists() else {}
    if chosen.requests:
        transport = RecordedTransport(recorded, chosen.requests)
        by_model(transport)
        speakers_by_model(transport)
        rows = json.dumps(dict(sorted(recorded.items())), ensure_ascii=False, indent=1)
        ANSWERS.write_text(rows + "\n", "utf-8")
        return 0
    figures: list[Figure] = []
    for half in HALVES if chosen.half is None else (chosen.half,):
        of_pairs, pairs = reversals(half, show=chosen.show)
        of_pairs += asked(half)
        of_prompts, prompts = speakers(half, show=chosen.show)
        by_pairs, by_prompts = crowd(pairs, prompts)
        figures += [
            *of_pairs,
            Figure(f"{half}, said: others retired by {len(pairs)} later words", by_pairs, must=1),
            Figure(f"{half}: retired by prompts that are no rule", by_prompts, must=0),
            *of_prompts,
        ]
    if chosen.half != "seen":
        transport = RecordedTransport(recorded)
        figures += [
            *by_model(transport),
            *speakers_by_model(transport),
            Figure("answers that are missing", len(transport.missing), must=0),
            Figure("answers whose request has changed", len(transport.changed)),
        ]
    return report.finish("reversals", chosen, figures)


if __name__ == "__main__":
    sys.exit(main())

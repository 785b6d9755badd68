"""Surfaces made from real stores: ranking against the formula, layers, receipts, explanations."""

from __future__ import annotations

import json
import random
import uuid
from itertools import pairwise
from math import log
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base import decay
from cortex_core.base.kinds import DEFAULT, Kinds
from cortex_core.base.project import Project, find
from cortex_core.base.tools import SHELL
from cortex_core.records.events import Event
from cortex_core.redaction.redacted_events import redacted
from cortex_core.search import importance
from cortex_core.store import surface_reader
from cortex_core.store.store import Store
from cortex_core.store.table_models import EdgeTable, MemoryTable, ProposalTable, SourceTable
from cortex_core.surface import choosing, given, note, opened_files, prompt, receipts
from cortex_core.surface.choosing import WorkContext
from cortex_core.surface.given import Injection
from tests.conftest import NOON, Clock

WORDS = "parser queue screen worker index cache branch token prompt budget vector session".split()


def fill(store: Store, count: int, seed: int = 1) -> None:
    """Rows of every age, kind and use, and edges between them."""
    chance = random.Random(seed)
    ids = [str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(count)]
    kinds = [kind.name for kind in DEFAULT]
    rows = []
    for number, id in enumerate(ids):
        born = NOON - chance.random() * 300 * decay.DAY
        content = " ".join(chance.choices(WORDS, k=12)) + f" {number}"
        rows.append(
            {
                "id": id,
                "content": content,
                "title": content[:30],
                "kind": chance.choice(kinds),
                "initial_confidence": chance.random(),
                "priority": chance.randint(1, 10),
                "pinned": chance.random() < 0.01,
                "created": born,
                "updated": born,
                "reinforced": born,
                "content_hash": str(number),
                "access_count": chance.choice([0, 0, 1, 5, 30, 200]),
                "branch": chance.choice(["", "main", "feature/x"]),
                "session": chance.choice(["", "one", "two", "three"]),
                "rule": chance.choice(["person", "agent", "rule:prompt-order", "rule:commit"]),
                "tags": json.dumps(chance.choice([[], [], ["command"], ["cart"]])),
                "files": json.dumps(chance.choice([[], [], ["src/app/a.py"], ["lib/b.py"]])),
                "status": chance.choice(["active"] * 5 + ["archived"]),
                "inject": chance.choice(["normal"] * 5 + ["demoted", "never"]),
                "origin": ["{}", '{"type":"error"}', '{"type":"general"}'][number % 3],
            }
        )
    edges = [
        {
            "source": chance.choice(ids),
            "target": ids[int(chance.random() ** 4 * count)],
            "type": "relates_to",
            "created": NOON,
        }
        for _ in range(3 * count)
    ]
    with store.write():
        for start in range(0, count, 200):
            MemoryTable.insert_many(rows[start : start + 200]).execute(store.database)
        EdgeTable.insert_many(edges[:2000]).on_conflict_ignore().execute(store.database)


@pytest.fixture
def here(project: Path) -> Project:
    return find(str(project))


@pytest.mark.parametrize("model", decay.MODELS)
@pytest.mark.parametrize(
    "place", [WorkContext(), WorkContext("feature/x", "src/app"), WorkContext("main")]
)
def test_what_sql_picks_holds_the_best_by_the_formula(
    cortex: Cortex, here: Project, place: WorkContext, model: str
) -> None:
    kinds = Kinds(model=model)
    fill(cortex.workspace.store("project"), 1500)
    store = surface_reader.open_store(here.project_db, "project")
    assert store is not None
    with store:
        picked = choosing.candidates(store, place, kinds, NOON)
        rows = store.select(
            "status = 'active' AND inject = 'normal' AND kind <> 'code'", central=True
        )
        most = log(store.most_accessed + 1)
    scores = {}
    for row in rows:
        faded = decay.confidence(
            row.initial_confidence,
            row.reinforced,
            NOON,
            choosing.pace(row, kinds),
            priority=row.priority,
            access_count=row.access_count,
            centrality=row.centrality,
            pinned=row.pinned,
        )
        if not (row.pinned or kinds.known(row.kind).surface_lines):
            continue
        scores[row.id] = sum(choosing.standing(row, kinds).values()) + importance.score(
            faded,
            row.priority,
            row.centrality,
            row.access_count,
            most,
            same_branch=bool(row.branch) and row.branch == place.branch,
        )
    assert {one.row.id: one.score for one in picked} == pytest.approx(
        {one.row.id: scores[one.row.id] for one in picked}
    )
    best = sorted(scores, key=lambda id: -scores[id])[:150]
    assert set(best) <= {one.row.id for one in picked}
    assert {row.id for row in rows if row.pinned} <= {one.row.id for one in picked}
    assert all(one.row.pinned or one.row.kind != "episode" for one in picked)
    if place.folder:
        assert any(one.here and "src/app/a.py" in one.row.files for one in picked)


def test_a_surface_is_the_same_whoever_composes_it(cortex: Cortex, here: Project) -> None:
    fill(cortex.workspace.store("project"), 500)
    fill(cortex.workspace.store("global"), 300, seed=2)
    first = note.composed(here, NOON).text
    assert first == note.composed(here, NOON + 3600).text == cortex.surface().text
    assert first == note.current(here, NOON).text
    assert first != note.composed(here, NOON + 90 * decay.DAY).text


def read(here: Project) -> surface_reader.SurfaceReader:
    store = surface_reader.open_store(here.project_db, "project")
    assert store is not None
    return store


def test_only_links_from_other_sessions_make_central(cortex: Cortex, here: Project) -> None:
    one, two, three, four = (
        cortex.remember(f"The {shelf} shelf holds returned goods", kind="fact").id
        for shelf in ("upper", "lower", "left", "right")
    )
    store = cortex.workspace.store("project")
    with store.write():
        EdgeTable.delete().execute(store.database)
        MemoryTable.update(session="a").where(MemoryTable.id << [one, two]).execute(store.database)
        MemoryTable.update(session="b").where(MemoryTable.id == three).execute(store.database)
        for source, target in ((one, two), (two, one), (three, one), (four, one), (four, two)):
            EdgeTable.insert(source=source, target=target, type="relates_to", created=NOON).execute(
                store.database
            )
    with read(here) as reader:
        assert reader.centrality([one, two, three, four]) == {one: 1.0, two: 0.5}
        assert reader.centrality([two]) == {two: 0.5}
    with Cortex.open(project=here.root) as again:  # recall counts every link
        degrees = again.workspace.store("project").centrality([one, two])
    assert degrees == pytest.approx({one: 1.0, two: 2 / 3})


def test_rules_what_was_learned_often_and_what_the_user_said_rank_higher(
    cortex: Cortex, here: Project
) -> None:
    asked = [
        ("policy", "rule:commit", 1),
        ("fact", "rule:commit", 1),
        ("fact", "rule:concept", 1),
        ("fact", "rule:answer", 1),
        ("fact", "rule:prompt-fact", 1),
        ("fact", "rule:commit", 8),
        ("fact", "rule:commit", 2),
    ]
    made = [
        cortex.remember(f"Shelf {n} holds returns", kind=kind).id
        for n, (kind, *_) in enumerate(asked)
    ]
    store = cortex.workspace.store("project")
    with store.write():
        SourceTable.delete().execute(store.database)
        for id, (_, rule, times) in zip(made, asked, strict=True):
            MemoryTable.update(rule=rule).where(MemoryTable.id == id).execute(store.database)
            for session in range(times):
                SourceTable.insert(memory=id, rule=rule, session=str(session)).execute(
                    store.database
                )
    with read(here) as reader:
        rows = {row.id: row for row in reader.injectable(made, central=True)}
    found = [choosing.standing(rows[id], DEFAULT) for id in made]
    policy, concluded, reported, chosen, said, often, twice = (sum(one.values()) for one in found)
    assert policy - concluded == pytest.approx(0.1 * (1.4 - 0.9) / 0.6)
    assert concluded < reported < chosen < said == pytest.approx(concluded + choosing.SAID)
    assert often == pytest.approx(concluded + choosing.LEARNED)
    assert twice == pytest.approx(concluded + choosing.LEARNED / 3)


def test_commands_and_the_machine_are_needed_by_every_session(
    cortex: Cortex, here: Project
) -> None:
    plain, command, machine = (
        cortex.remember(f"`make {name}` is run on this machine", kind="fact", tags=tags).id
        for name, tags in (("a", ()), ("b", ("command",)), ("c", ("environment", "docker")))
    )
    with read(here) as reader:
        rows = {row.id: row for row in reader.injectable([plain, command, machine])}
    works = {id: choosing.standing(row, DEFAULT)["works"] for id, row in rows.items()}
    assert works == {plain: 0, command: choosing.WORKS, machine: choosing.WORKS}


def stop(
    cortex: Cortex, title: str, branch: str, days: float, session: str = "s", next: object = ""
) -> str:
    """An episode that says where a session stopped `days` ago."""
    made = cortex.remember(f"{title} And more.", title=title, kind="episode")
    store = cortex.workspace.store("project")
    with store.write():
        MemoryTable.update(
            rule="rule:session-end",
            branch=branch,
            session=session,
            created=NOON - days * decay.DAY,
            details=json.dumps({"stopped": {"next": next}}),
        ).where(MemoryTable.id == made.id).execute(store.database)
    return made.id


def stopped_on(cortex: Cortex, branch: str) -> list[str]:
    """The lines about where it stopped, for a session on `branch`."""
    git_head = Path(cortex.project.root or "", ".git", "HEAD")
    git_head.write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8")
    with Cortex.open(project=cortex.project.root, clock=lambda: NOON) as again:
        _, _, lines = again.surface().text.partition("# Where it stopped\n")
    return [
        line.rpartition(" [")[0].partition(" (")[0]
        for line in lines.split("\n")
        if line.startswith("- ")
    ]


def test_where_it_stopped_is_the_newest_of_the_branch(cortex: Cortex) -> None:
    stop(cortex, "The tax table is half done.", "feature/tax", 40, next="The rates are missing.")
    stop(cortex, "The tax table was begun.", "feature/tax", 41)
    stop(cortex, "The cart has its tests.", "main", 30)
    stop(cortex, "The old cart had none.", "", 31, next=["no text"])
    tax = ["- The rates are missing.", "- The tax table is half done."]
    assert stopped_on(cortex, "feature/tax") == tax
    assert stopped_on(cortex, "feature/other") == []


def test_a_trunk_takes_the_newest_of_all(cortex: Cortex) -> None:
    stop(cortex, "The cart has its tests.", "main", 40)
    stop(cortex, "The tax table is half done.", "feature/tax", 20)
    assert stopped_on(cortex, "main") == ["- The tax table is half done."]


def test_other_episodes_have_no_line(cortex: Cortex) -> None:
    cortex.remember("The cart was moved.", kind="episode")
    assert cortex.surface().text == ""
    assert cortex.surface().missed == ()


def test_a_resumed_session_is_not_told_where_it_stopped(cortex: Cortex, here: Project) -> None:
    known = cortex.remember("Deploys go through the blue pipeline", kind="policy")
    stop(cortex, "The tax table is half done.", "main", 1, session="mine")
    surface = note.current(here, NOON)
    assert "tax table" in surface.text
    unseen = {
        name: note.unseen(here, NOON, surface, {known.id}, name).text
        for name in ("mine", "another")
    }
    assert unseen["mine"] == "" and "tax table" in unseen["another"]
    assert "blue pipeline" not in unseen["another"]


def test_surface_and_prompt_are_explained(cortex: Cortex) -> None:
    pinned = cortex.remember("Deploys go through the blue pipeline", kind="policy", pinned=True)
    never = cortex.remember("The old host is called basil", kind="fact")
    demoted = cortex.remember("Lunch is at noon", kind="fact")
    cortex.give([never.id], "never")
    cortex.give([demoted.id], "demoted")
    made = cortex.surface()
    (line,) = made.lines
    assert line.id == pinned.id and line.why == "pinned"
    assert sum(line.parts.values()) == pytest.approx(line.score)
    assert {one.id: one.why for one in made.missed} == {
        never.id: "never injected, by your choice",
        demoted.id: "injected only when it matches",
    }
    with_prompt = cortex.surface(prompt="when is lunch, at noon?")
    assert {one.id for one in with_prompt.lines} == {pinned.id, demoted.id}
    assert never.id not in {one.id for one in cortex.surface(prompt="who is basil?").lines}


def test_what_the_note_refuses_no_prompt_brings(cortex: Cortex) -> None:
    kept = cortex.remember("The billing host is called basil and runs in Oslo")
    heard = cortex.remember("Basil, the billing host which restarts and listens to", title="Basil…")
    older = cortex.remember("The billing host basil listens on port 8080", actor="agent")
    store = cortex.workspace.store("project")
    with store.write():
        for name, columns in ((heard.id, {"rule": "rule:reply"}), (older.id, {"created": 1.0})):
            MemoryTable.update(**columns).where(MemoryTable.id == name).execute(store.database)
    newer = cortex.remember("The billing host basil listens on port 9090", actor="agent")
    made = cortex.surface(prompt="restart the billing host basil and see on which port it listens")
    assert {one.id for one in made.lines} <= {kept.id, newer.id} and made.lines
    reasons = {one.id: one.why for one in made.missed}
    assert "no complete statement" in reasons[heard.id]
    assert "the contrary of" in reasons[older.id]


def test_what_claude_md_says_is_listed_with_that_reason(cortex: Cortex) -> None:
    Path(cortex.project.root or "", "CLAUDE.md").write_text("- Deploys wait for the smoke tests\n")
    cortex.exchange.import_claude_md()
    (line,) = cortex.surface().missed
    assert line.why.startswith("the agent's own file of rules says it already")


def test_a_memory_says_whether_it_is_next_and_why(cortex: Cortex) -> None:
    cortex.settings.set("surface.tokens", 100)
    first = cortex.remember("Deploys go through the blue pipeline", kind="policy", priority=9)
    twin = cortex.remember("Deploys go through the blue pipeline.", kind="policy", scope="global")
    low = cortex.remember("Never page the host called basil", kind="policy", priority=1)
    rest = {
        "the history": (cortex.remember("The cart was moved", kind="episode"), "no lines for"),
        "demoted": (cortex.remember("Lunch is at noon"), "only when it matches"),
        "never": (cortex.remember("Tea is at four"), "never injected"),
        "archived": (cortex.remember("Supper is at eight"), "it is archived: restore it"),
        "vague": (cortex.remember("Why is that so?", title="Why?"), "no complete statement"),
    }
    cortex.give(rest["demoted"][0].id, "demoted")
    cortex.give(rest["never"][0].id, "never")
    cortex.forget(rest["archived"][0].id)
    for number in range(6):
        cortex.remember(f"Every release number {number} is signed with a key", kind="policy")
    names = [first.id, twin.id, low.id, *(memory.id for memory, _ in rest.values()), "no such id"]
    found = {one.memory: one for one in cortex.sessions.outlooks(names)}
    assert found.keys() == set(names[:-1])
    surface = cortex.surface()
    assert surface.lines[found[first.id].line - 1].id == first.id
    assert found[first.id].words == f"yes, line 1 of {len(surface.lines)}: comes first"
    assert found[twin.id].words == (
        f"no: says the same as “{first.title}” ({first.id[:8]}), which is injected"
    )
    outside = found[low.id]
    assert outside.words.startswith("no: others fill the 100 tokens: rank ")
    assert outside.rank > max(found[line.id].rank for line in surface.lines if line.id in found)
    for what, (memory, reason) in rest.items():
        assert not found[memory.id].line and reason in found[memory.id].words, what


def test_an_untrusted_store_is_the_reason(cortex: Cortex) -> None:
    memory = cortex.remember("Deploys go through the blue pipeline", kind="policy")
    cortex.trust.revoke()
    (outlook,) = cortex.sessions.outlooks([memory.id])
    assert "not trusted" in outlook.words


def test_what_does_not_fit_a_prompt_is_listed_with_its_reason(cortex: Cortex) -> None:
    basil = cortex.remember("The billing host is called basil and runs in Oslo")
    other = cortex.remember("Release tags are signed by the pager rota on Mondays", kind="fact")
    cortex.models.embed_pending()
    made = cortex.surface(prompt="restart the billing host basil after the release of the rota")
    assert [line.id for line in made.lines] == [basil.id]
    assert {line.id: line.why for line in made.missed} == {
        other.id: "shares too few words: release, rota"
    }
    far = cortex.surface(prompt="which font suits a wedding invitation on paper")
    assert not far.lines and {line.id for line in far.missed} == {basil.id, other.id}
    assert all("its meaning is too far away" in line.why for line in far.missed)
    why = cortex.suggestions.why(other.id, prompt="which font suits an invitation card").reasons[-1]
    assert why.startswith("Injected with this prompt: no") and "of what this prompt takes" in why


def test_layers_of_a_prompt_stay_within_their_budget(cortex: Cortex, here: Project) -> None:
    fill(cortex.workspace.store("project"), 800)
    for place in ("Oslo", "Bergen", "Tromsø", "Bodø", "Molde", "Narvik"):
        cortex.remember(f"Nightly ledger exports for {place} land in a bucket", kind="fact")
        cortex.remember(f"Redo the {place} ledger: stop, export, import", kind="procedure")
    made = prompt.composed(here, "where do the nightly ledger exports land", NOON)
    assert made.tokens <= 800
    layers = [line.section for line in made.lines]
    assert layers == sorted(layers, key=["baseline", "prompt", "procedure"].index)
    assert layers.count("procedure") <= 3 and "prompt" in layers


def test_procedures_are_few_and_found_by_their_task(cortex: Cortex, here: Project) -> None:
    for steps in (
        "Publish a release: tag main, build, upload the wheel",
        "Check a release by installing it in a fresh container",
        "Yank a broken release, then tell the list",
        "The release notes are drafted from merged titles",
        "Rotate the signing key before a major release",
    ):
        cortex.remember(steps, kind="procedure")
    made = prompt.composed(here, "prepare the release", NOON)
    assert len(made.lines) == prompt.MOST_MATCHES


def test_a_prompt_that_nothing_fits_is_given_nothing(cortex: Cortex, here: Project) -> None:
    cortex.remember("The billing queue retries for up to 90 seconds", kind="fact")
    for words in ("thanks, looks good", "ok", "please go on", "rename the logo to a svg file"):
        assert prompt.composed(here, words, NOON).text == ""


def test_only_the_better_of_an_open_pair_is_given_with_a_prompt(
    cortex: Cortex, here: Project
) -> None:
    a = cortex.remember("Retries of the billing queue back off to 90 seconds", kind="fact")
    b = cortex.remember("Billing retries wait 90 seconds at the most in the queue", kind="fact")
    store = cortex.workspace.store("project")
    with store.write():
        ProposalTable.delete().execute(store.database)
        ProposalTable.insert(
            type="merge",
            members=json.dumps([b.id, a.id]),
            pair="x",
            similarity=0.9,
            fingerprint="f",
            created=NOON,
        ).execute(store.database)
    made = prompt.composed(here, "how long do billing queue retries wait?", NOON)
    assert [line.candidate.row.id for line in made.lines] == [b.id]
    assert [line.candidate.row.id for line in note.composed(here, NOON).lines] == [b.id]


def test_files_are_matched_by_globs_of_both_stores(cortex: Cortex, here: Project) -> None:
    own = cortex.remember("Handlers stay thin", kind="fact", files=["src/**/*.py"])
    all_over = cortex.remember(
        "SQL files end with a newline", kind="fact", files=["*.sql"], scope="global"
    )
    for path, wanted in (
        ("src/a/b.py", [own.id]),
        ("db/x.sql", [all_over.id]),
        ("README.md", []),
    ):
        made = opened_files.about(here, path, NOON, set())
        assert list(made.ids) == wanted
    assert opened_files.about(here, "src/a/b.py", NOON, {own.id}).text == ""


class TestReceipts:
    def give(self, here: Project, ids: list[str], at: float = NOON, event: str = "x") -> None:
        given.record(here, "s1", event, Injection("", ids, 30), at)

    def test_notes_become_receipts_once(self, cortex: Cortex, here: Project) -> None:
        memory = cortex.remember("Use pnpm")
        self.give(here, [memory.id, "other"], event="SessionStart")
        store = cortex.workspace.store("project")
        assert receipts.ingest(here, store) == 2
        assert receipts.ingest(here, store) == 0
        self.give(here, [memory.id], at=NOON + 5)
        assert receipts.ingest(here, store) == 1
        made = cortex.sessions.receipts("s1")
        assert [(one.memory, one.event, one.tokens, one.used) for one in made][-2:] != []
        assert {one.tokens for one in made} == {15, 30}
        assert {one.used for one in made} == {None}

    def test_figures_are_by_week_and_day(self, cortex: Cortex, here: Project, clock: Clock) -> None:
        memory = cortex.remember("Metrics are scraped on port 9100")
        self.give(here, [memory.id], at=clock.now)
        store, stores = cortex.workspace.store("project"), cortex.workspace.stores
        receipts.ingest(here, store)
        said = [Event(role="assistant", text="See port 9100.", time=clock.now + 1)]
        receipts.note_use(store, "s1", said, stores)
        clock.now += 9 * 86_400
        cortex.remember("It was learned later")
        weeks = cortex.sessions.figures("5w").periods
        assert [one.learned for one in weeks if one.learned] == [1, 1]
        (then,) = (one for one in weeks if one.injected)
        assert (then.injected, then.tokens, then.used, then.unused) == (1, 30, 1, 0)
        assert all(
            later.start - one.start in (601_200, 604_800, 608_400) for one, later in pairwise(weeks)
        )
        days = cortex.sessions.figures("9d")
        assert days.unit == "day" and len(days.periods) == 10
        assert days.periods[0].injected == days.periods[-1].learned == 1
        assert cortex.sessions.figures("1h").periods[0].learned == 1
        clock.now -= 40 * 86_400
        assert not any(one.learned for one in cortex.sessions.figures("5w").periods)

    def test_resets_forks_and_torn_lines_are_no_receipts(
        self, cortex: Cortex, here: Project
    ) -> None:
        self.give(here, ["a"])
        given.record_alone(here, "s1", given.RESET, NOON)
        given.inherit_from_fork(here, "s2", NOON)
        with next(Path(here.data, "given").glob("*.jsonl")).open("a") as file:
            file.write('{"time": 1, "ids": ["b"')
        assert receipts.ingest(here, cortex.workspace.store("project")) == 1
        assert given.injected_ids(here, "s1") == {}

    @pytest.mark.parametrize(
        ("content", "said", "evidence"),
        [
            ("Call require_user before a handler", "I add require_user() first.", "require_user"),
            ("Metrics are scraped on port 9100", "curl -s localhost:9100/metrics", "9100"),
            ("Use pnpm, never npm", "pnpm add zod", "pnpm"),
            ("The proxy in front of it is Caddy", "I reload caddy.", "caddy"),
            ("It is linted with `mise run lint`", "mise run lint && git push", "mise run lint"),
            (
                "Reports go to the auditors quarterly, sorted by invoice",
                "The auditors get reports quarterly.",
                "auditors, quarterly, reports",
            ),
            ("Write short notes", "As [{id}] says, they are short.", "[{id}"),
        ],
    )
    def test_use_is_noticed_by_names_numbers_and_words(
        self, cortex: Cortex, here: Project, content: str, said: str, evidence: str
    ) -> None:
        store = cortex.workspace.store("project")
        memory = cortex.remember(content, kind="fact")
        self.give(here, [memory.id])
        receipts.ingest(here, store)
        id = memory.id[:8]
        events = [
            Event(role="human", text="go on", time=NOON + 1),
            Event(role="tool_use", tool=SHELL, input={"command": said.format(id=id)}),
        ]
        events = list(redacted(events, ()))
        assert receipts.note_use(store, "s1", events, cortex.workspace.stores) == [memory.id]
        (made,) = cortex.sessions.receipts("s1")
        assert (made.used, made.evidence) == (True, evidence.format(id=id))
        assert receipts.note_use(store, "s1", events, cortex.workspace.stores) == []

    def test_what_is_seen_elsewhere_first_is_no_sign(self, cortex: Cortex, here: Project) -> None:
        store = cortex.workspace.store("project")
        kept = {
            "silent": cortex.remember("The weather service is on host basil7.example"),
            "refused": cortex.remember("Use pnpm, never yarn"),
            "read": cortex.remember("Metrics are scraped on port 9100"),
            "common": cortex.remember("Write the tests first"),
            "ruled": cortex.remember("Formatted with `just fmt`"),
        }
        self.give(here, [one.id for one in kept.values()])
        receipts.ingest(here, store)
        first = [
            Event(role="human", text="add a test", time=NOON + 1),
            Event(role="assistant", text="I write the tests with yarn.", time=NOON + 2),
            Event(role="tool_result", text="listening on 9100", time=NOON + 3),
        ]
        later = [Event(role="assistant", text="It is on 9100. just fmt ran.", time=NOON + 4)]
        stores = cortex.workspace.stores
        for events in (first, later):
            assert receipts.note_use(store, "s1", events, stores, "Run just fmt first.") == []
        told = {one.memory: (one.used, one.evidence) for one in cortex.sessions.receipts("s1")}
        assert set(told.values()) == {(None, "")}
        receipts.settle_use(store, "s1", stores)
        told = {one.memory: (one.used, one.evidence) for one in cortex.sessions.receipts("s1")}
        unknown = (None, receipts.CANNOT_KNOW)
        assert {name: told[one.id] for name, one in kept.items()} == {
            "silent": (False, ""),
            "refused": (False, ""),
            "read": unknown,
            "common": unknown,
            "ruled": unknown,
        }
        assert not store.metas("use ")

    def test_a_session_that_goes_on_may_use_it_after_all(
        self, cortex: Cortex, here: Project
    ) -> None:
        store, stores = cortex.workspace.store("project"), cortex.workspace.stores
        memory = cortex.remember("Metrics are scraped on port 9100")
        self.give(here, [memory.id])
        receipts.ingest(here, store)
        idle = [Event(role="assistant", text="Done.", time=NOON + 2)]
        receipts.note_use(store, "s1", idle, stores)
        receipts.settle_use(store, "s1", stores)
        assert cortex.sessions.receipts("s")[0].used is False
        late = [Event(role="assistant", text="See port 9100.", time=NOON + 9)]
        assert receipts.note_use(store, "s1", late, stores) == [memory.id]
        assert cortex.sessions.receipts("s1")[0].used is True

    def test_what_the_prompt_said_itself_is_no_sign(self, cortex: Cortex, here: Project) -> None:
        store = cortex.workspace.store("project")
        memory = cortex.remember("Call require_user before every handler", kind="fact")
        self.give(here, [memory.id])
        receipts.ingest(here, store)
        events = [
            Event(role="human", text="where is require_user called?", time=NOON + 1),
            Event(role="assistant", text="require_user is called nowhere.", time=NOON + 2),
        ]
        assert receipts.note_use(store, "s1", events, cortex.workspace.stores) == []

    def test_what_was_said_before_it_was_given_is_no_sign(
        self, cortex: Cortex, here: Project
    ) -> None:
        store = cortex.workspace.store("project")
        memory = cortex.remember("Call require_user before every handler", kind="fact")
        self.give(here, [memory.id], at=NOON + 100)
        receipts.ingest(here, store)
        events = [Event(role="assistant", text="require_user is there", time=NOON)]
        assert receipts.note_use(store, "s1", events, cortex.workspace.stores) == []

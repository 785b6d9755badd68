"""What is heard in the user's own sentences, in whole small sessions."""

from __future__ import annotations

import re

import pytest

from cortex_core.extract.hearing import is_complaint, rule_in
from cortex_core.records.events import Candidate
from tests.core.rules.session import Session, statements

HEARD = [
    # What the documents of the product promise to hear, and the like.
    ("The deploy script requires sudo on Linux.", "fact"),
    ("I fixed CORS by adding the origin to the route rules.", "fact"),
    ("We're using Drizzle ORM instead of Prisma.", "decision"),
    ("No semicolons in TypeScript", "order"),
    ("I'm a fullstack developer focused on TypeScript.", "wish"),
    ("All database migrations use Drizzle Kit.", "order"),
    ("The production server is Ubuntu 24.04 on Hetzner.", "fact"),
    ("All API routes follow parse → service → format.", "order"),
    ("vi.mock() at module level leaks between test files.", "fact"),
    ("Auth is a separate service.", "fact"),
    ("Actually the port is 8081.", "correction"),
    ("No, it's called billing-api.", "correction"),
    ("It's not a queue but a stream.", "correction"),
    ("You must run migrations first.", "order"),
    ("A changelog entry is required.", "order"),
    ("use pnpm in this repo", "order"),
    ("No, use pnpm.", "correction"),
    ("Decision: one database per tenant.", "decision"),
    ("From now on: commits in English.", "order"),
    ("Can you always run the linter before you commit?", "order"),
    ("I prefer small commits, please.", "wish"),
    ("нет, тесты гоняем через make test, а не pytest", "correction"),
    ("ich mag lieber kleine Commits, bitte", "wish"),
    ("nous avons choisi SQLite pour le cache", "decision"),
    ("nunca subas nada directamente a main", "order"),
    ("npm install left the links broken: use pnpm", "order"),
    ("The cache made the tests fail: always clear it first.", "order"),
    ("npm se ha cargado los enlaces: usa pnpm", "order"),
    ("a configuração fica em deploy/values.yaml", "fact"),
    ("总是使用 pnpm，不要用 npm", "order"),
    ("いや、npm じゃなくて pnpm です", "correction"),
    ("생성된 파일은 절대로 수정하지 말 것", "order"),
    # What begins like a question, or as if it went on, and does neither.
    ("El código va en inglés", "order"),
    ("Cuando borres algo, pregunta antes", "order"),
    ("Hay que correr los tests antes de cada push", "order"),
    ("Este projeto usa pnpm", "order"),
    ("Como regra, as branches começam pelo número da tarefa", "order"),
    ("Il ne faut jamais pousser sur main", "order"),
    ("Ce projet utilise pnpm", "order"),
    ("Wer am Schema etwas ändert, fragt vorher Marta", "order"),
    ("Es wird nie direkt auf main gepusht", "order"),
    ("кто трогает схему, предупреждает Марту", "order"),
    ("このリポジトリではスカッシュする", "order"),
    ("谁都不能直接推 main", "order"),
    ("Our staging is shared, so delete nothing there", "order"),
]

NOT_HEARD = [
    "Docker is running on your host",
    "Why does the test always fail?",
    "Fix the login bug.",
    "Don't push for now.",
    "Maybe we should always use Kafka.",
    "ok, commit and push",
    "I'm trying to find out why the worker never starts.",
    "It never worked on Windows.",
    "The build is broken.",
    "the tests fail on CI: fix the import",
    "I have two small tasks: add a button",
    "Add tests to ensure that both must not be equal.",
    "no worries",
    "> Always use tabs.",
    "```\nnever push to main\n```",
    "<ticket>\nAlways use tabs.\n</ticket>",
    "ERROR always use the cache",
    "Severity: high\nAlways check the token.",
    "src/a.py:12 must never be empty",
    "quién ha cambiado siempre el esquema",
    "wer hat das Schema geändert",
    "qui a modifié le schéma",
    "кто всегда меняет схему",
    "誰がいつも直接pushしているのか",
    "谁总是直接推 main",
    "Esto siempre falla",
    "Es wird immer langsamer",
]


def heard(*prompts: str) -> list[Candidate]:
    session = Session().human("look at the shop").says("I looked. The queue is called billing.")
    for prompt in prompts:
        session.human(prompt).says("Fine.")
    return session.found()


@pytest.mark.parametrize(("said", "signal"), HEARD)
def test_a_sentence_with_a_signal_is_suggested(said: str, signal: str) -> None:
    (found,) = heard(said)
    assert (found.rule, found.tier) == (f"prompt-{signal}", "suggested")


@pytest.mark.parametrize("said", NOT_HEARD)
def test_other_sentences_are_not_heard(said: str) -> None:
    assert heard(said) == []


def test_the_kind_follows_from_the_signal() -> None:
    kinds = {said: heard(said)[0].kind for said, _ in HEARD[:17]}
    assert kinds["No semicolons in TypeScript"] == "policy"
    assert kinds["We're using Drizzle ORM instead of Prisma."] == "decision"
    assert kinds["I'm a fullstack developer focused on TypeScript."] == "preference"
    assert kinds["vi.mock() at module level leaks between test files."] == "gotcha"
    assert kinds["Auth is a separate service."] == "architecture"
    assert kinds["No, it's called billing-api."] == "fact"


def test_a_correction_says_what_it_answers() -> None:
    (found,) = heard("No, it's called billing-api.")
    assert found.content.splitlines() == [
        "No, it's called billing-api.",
        "Said to: “The queue is called billing.”",
    ]


def test_a_sentence_that_leans_takes_the_one_before_along() -> None:
    (found,) = heard("The importer reads the nightly dump. It must never write to it.")
    assert found.content == "The importer reads the nightly dump. It must never write to it."


@pytest.mark.parametrize(
    ("request_", "project"),
    [
        ("Hi, let's add a discount code.", "This is a Next.js app, Postgres 15 runs on port 5433."),
        ("Fix the flaky login test.", "It's a Hugo site, the theme is a submodule."),
        ("Kannst du den Export bauen?", "Das ist eine Flutter-App, der Zustand liegt in Riverpod."),
    ],
)
def test_what_the_project_is_stands_without_the_request_before_it(
    request_: str, project: str
) -> None:
    (found,) = heard(f"{request_} {project}")
    assert found.content == project


def test_a_wish_to_stop_a_habit_is_heard_as_a_rule() -> None:
    (found,) = heard("stop using em dashes in the docs")
    assert (found.content, found.kind) == ("Stop using em dashes in the docs.", "policy")
    assert heard("stop the server and run it again") == heard("stop fetching the data now") == []


def test_what_tells_a_secret_is_no_suggestion() -> None:
    assert heard("My API key is sk-ant-api03-" + "a1B2c3D4" * 11 + ", use it in .env only") == []


def test_a_fact_has_the_day_that_was_yesterday() -> None:
    (found,) = heard("We moved the database to port 5544 yesterday")
    assert re.search(r"yesterday \(\d{4}-\d\d-\d\d\)", found.content)


def test_the_brief_of_one_task_is_not_heard() -> None:
    brief = "# Goal\nA parser.\n# Rules\nAlways use tabs.\n"
    assert heard(brief) == [] and heard("You are a reviewer. " + "Never guess. " * 30) == []


def test_why_a_call_was_refused_is_heard() -> None:
    session = Session().human("make it fast")
    denied = "The user doesn't want to proceed with this tool use."
    session.runs("npm install left-pad", denied, failed=True)
    (found,) = session.human("we use pnpm instead").found()
    assert found.rule == "prompt-correction" and found.details["corrected"].startswith("npm")


def test_what_is_said_while_the_agent_works_is_heard_once() -> None:
    session = Session().human("go").queues("Never push to main.").says("ok")
    assert [one.content for one in session.found()] == ["Never push to main."]
    assert len(session.human("Never push to main.").found()) == 1


def test_a_withdrawal_takes_back_what_was_said() -> None:
    contents = [one.content for one in heard("We use Redux here.", "We no longer use Redux here.")]
    assert contents == []


# --- “Remember: …”


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("Remember: staging runs Postgres 14", "Staging runs Postgres 14."),
        ("ok, please remember that the cron runs in UTC", "The cron runs in UTC."),
        ("The cron runs in UTC. Remember that.", "The cron runs in UTC."),
        ("Merk dir: Staging läuft auf Postgres 14", "Staging läuft auf Postgres 14."),
        ("Retiens : le cron tourne en UTC", "Le cron tourne en UTC."),
        ("Recuerda: el cron corre en UTC", "El cron corre en UTC."),
        ("Lembre-se: o cron roda em UTC", "O cron roda em UTC."),
        ("запомни: крон работает в UTC", "Крон работает в UTC."),
        ("记住：定时任务跑的是 UTC 时间", "定时任务跑的是 UTC 时间。"),
        ("覚えておいて：定期実行は UTC です", "定期実行は UTC です。"),
        ("기억해 줘: 크론은 UTC로 돌아가요", "크론은 UTC로 돌아가요."),
    ],
)
def test_what_is_to_be_remembered_is_kept_at_once(said: str, content: str) -> None:
    session = Session().human(said)
    (found,) = session.extracted(final=False).candidates
    assert (found.rule, found.tier, found.content) == ("prompt-remember", "kept", content)


def test_a_list_to_remember_is_kept_item_by_item() -> None:
    found = Session().human("Remember:\n- the cron runs in UTC\n- never push to main").found()
    assert [(one.content, one.kind) for one in found] == [
        ("The cron runs in UTC.", "fact"),
        ("Never push to main.", "policy"),
    ]


@pytest.mark.parametrize(
    ("said", "contents"),
    [
        (
            "Remember: 1. Use pnpm. 2. Never push to main; 3. the cron runs in UTC",
            ["Use pnpm.", "Never push to main.", "The cron runs in UTC."],
        ),
        (
            "Remember: (1) staging has 2.5 GB (2) the cron runs in UTC",
            ["Staging has 2.5 GB.", "The cron runs in UTC."],
        ),
        (
            "Merk dir: 1. Staging läuft auf Postgres 14. 2. Der Cron läuft in UTC.",
            ["Staging läuft auf Postgres 14.", "Der Cron läuft in UTC."],
        ),
        (
            "Retiens : 1) le cron tourne en UTC 2) jamais de push sur main",
            ["Le cron tourne en UTC.", "Jamais de push sur main."],
        ),
        (
            "Recuerda: 1. el cron corre en UTC 2. nunca hagas push a main",
            ["El cron corre en UTC.", "Nunca hagas push a main."],
        ),
        (
            "Lembre-se: 1. o cron roda em UTC 2. nunca faça push na main",
            ["O cron roda em UTC.", "Nunca faça push na main."],
        ),
        (
            "запомни: 1. крон работает в UTC 2. никогда не пушь в main",
            ["Крон работает в UTC.", "Никогда не пушь в main."],
        ),
        (
            "记住：1. 定时任务跑的是 UTC 时间；2. 不要推送到 main。",
            ["定时任务跑的是 UTC 时间。", "不要推送到 main。"],
        ),
        (
            "覚えておいて：1、定期実行は UTC です。2、main にはプッシュしない。",
            ["定期実行は UTC です。", "main にはプッシュしない。"],
        ),
        (
            "기억해 줘: 1. 크론은 UTC로 돌아가요 2. 푸시는 main에 하지 마세요",
            ["크론은 UTC로 돌아가요.", "푸시는 main에 하지 마세요."],
        ),
        ("Remember: version 1. is gone and 2. is next", ["Version 1. is gone and 2. is next."]),
    ],
)
def test_a_list_in_one_line_is_kept_item_by_item(said: str, contents: list[str]) -> None:
    assert [one.content for one in Session().human(said).found()] == contents


@pytest.mark.parametrize(
    ("said", "contents"),
    [
        (
            "Remember: tests run in UTC. It was agreed in May. Also remember: never push to main.",
            ["Tests run in UTC. It was agreed in May.", "Never push to main."],
        ),
        (
            "Remember that staging runs Postgres 14. Fix the parser now. Remember: use pnpm.",
            ["Staging runs Postgres 14.", "Use pnpm."],
        ),
        (
            "Merk dir: der Cron läuft in UTC. Merk dir auch: nie auf main pushen.",
            ["Der Cron läuft in UTC.", "Nie auf main pushen."],
        ),
        (
            "Retiens : le cron tourne en UTC. Retiens aussi : jamais de push sur main.",
            ["Le cron tourne en UTC.", "Jamais de push sur main."],
        ),
        (
            "Recuerda: el cron corre en UTC. Recuerda también: nunca hagas push a main.",
            ["El cron corre en UTC.", "Nunca hagas push a main."],
        ),
        (
            "запомни: крон работает в UTC. И ещё запомни: никогда не пушь в main.",
            ["Крон работает в UTC.", "Никогда не пушь в main."],
        ),
        (
            "记住：定时任务跑的是 UTC 时间。还要记住：不要推送到 main。",
            ["定时任务跑的是 UTC 时间。", "不要推送到 main。"],
        ),
        (
            "覚えておいて：定期実行は UTC です。あと覚えておいて：main にはプッシュしない。",
            ["定期実行は UTC です。", "main にはプッシュしない。"],
        ),
    ],
)
def test_each_request_to_remember_is_a_memory(said: str, contents: list[str]) -> None:
    assert [one.content for one in Session().human(said).found()] == contents


def test_what_follows_is_remembered_too_but_no_order_for_now() -> None:
    said = "Remember: staging runs Postgres 14. Production runs 16. Fix the parser now."
    (found,) = Session().human(said).found()
    assert found.content == "Staging runs Postgres 14. Production runs 16."


@pytest.mark.parametrize(
    ("said", "content"),
    [
        (
            "Remember: Never push to main. Run the linter first.",
            "Never push to main. Run the linter first.",
        ),
        ("Remember: use pnpm. Format with black.", "Use pnpm. Format with black."),
        (
            "Merke: nie auf main pushen. Zuerst den Linter laufen lassen.",
            "Nie auf main pushen. Zuerst den Linter laufen lassen.",
        ),
        (
            "Retiens : ne pousse jamais sur main. Lance d'abord le linter.",
            "Ne pousse jamais sur main. Lance d'abord le linter.",
        ),
        (
            "Recuerda: nunca hagas push a main. Corre primero el linter.",
            "Nunca hagas push a main. Corre primero el linter.",
        ),
        (
            "Lembre-se: nunca faça push na main. Rode o linter primeiro.",
            "Nunca faça push na main. Rode o linter primeiro.",
        ),
        (
            "Запомни: никогда не пушь в main. Сначала запускай линтер.",
            "Никогда не пушь в main. Сначала запускай линтер.",
        ),
        ("记住：不要推送到 main。先跑 linter。", "不要推送到 main。 先跑 linter。"),
        (
            "覚えておいて：main にはプッシュしない。まず linter を実行。",
            "main にはプッシュしない。 まず linter を実行。",
        ),
        (
            "기억해 줘: main에 푸시하지 마. 먼저 린터를 실행해.",
            "Main에 푸시하지 마. 먼저 린터를 실행해.",
        ),
    ],
)
def test_several_rules_after_remember_are_all_kept(said: str, content: str) -> None:
    heard = Session().human(said)
    assert [one.content for one in heard.found()] == [content]
    assert not heard.extracted().refused


def test_what_cannot_be_remembered_is_told() -> None:
    order = Session().human("Remember: never push to main. Fix the parser now.").extracted()
    assert order.refused == {"“Remember” kept up to an order for now": 1}
    pasted = Session().human("x" * 7000 + "\nRemember: staging runs Postgres 14")
    assert pasted.extracted().refused == {"“Remember” not kept: pasted": 1}
    empty = Session().human("Remember: ok.").extracted()
    assert empty.refused == {"“Remember” not kept: nothing follows it": 1}


def test_in_all_projects_means_the_global_store() -> None:
    (found,) = heard("In all my projects use uv, never pip.")
    assert found.scope == "global" and found.scope_confidence > 0.8


@pytest.mark.parametrize(
    "said",
    [
        "You're in a vm so do not have access to docker. "
        "You can access all the docker services running on the host.",
        "Hier gibt es kein Docker. Die Dienste auf dem Host sind aber unter 10.0.2.2 erreichbar.",
        "Tu n'as pas accès à Docker ici. "
        "Par contre les services de l'hôte sont accessibles sur 10.0.2.2.",
    ],
)
def test_a_sentence_and_what_limits_it_are_one(said: str) -> None:
    assert [one.content for one in statements(said)] == [said]


def test_two_sentences_about_two_things_are_two() -> None:
    said = "You have no access to docker here. We use tabs in Go files."
    assert len(statements(said)) == 2


# --- what may come back


@pytest.mark.parametrize(
    "said",
    [
        "why did you run npm install again?",
        "I told you to use pnpm",
        "You forgot to run the linter",
    ],
)
def test_complaints_are_counted(said: str) -> None:
    assert is_complaint(said, "en")
    observed = Session().human("go").says("ok").human(said).extracted().observations
    assert [one.topic for one in observed if one.topic != "language"] == ["correction"]


def test_a_correction_names_its_rule() -> None:
    assert rule_in("no, use pnpm here") == "Use pnpm here."
    assert rule_in("I told you to use pnpm") == "Use pnpm."
    assert rule_in("why npm?") == "Why npm?"


def test_short_orders_are_counted() -> None:
    observed = Session().human("Write meaningful commits.").extracted().observations
    assert [one.text for one in observed if one.topic == "order"] == ["Write meaningful commits."]

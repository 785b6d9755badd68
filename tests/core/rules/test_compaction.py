"""Compaction summaries: rules and values are kept; causes, reports and what is pending are not."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cortex_core.records.events import Candidate
from tests.core.rules.session import Session

OPENING = "This session is being continued from a previous one.\n\nAnalysis:\nFirst I looked.\n\n"
NAMES = {
    "intent": "Primary Request and Intent",
    "concepts": "Key Technical Concepts",
    "files": "Files and Code Sections",
    "errors": "Errors and fixes",
    "problems": "Problem Solving",
    "messages": "All user messages",
    "pending": "Pending Tasks",
}
RUSSIAN = {
    "intent": "Основной запрос",
    "concepts": "Ключевые понятия",
    "files": "Файлы и код",
    "errors": "Ошибки",
    "problems": "Решённые проблемы",
    "messages": "Сообщения",
    "pending": "Осталось сделать",
}


def summary(names: dict[str, str] = NAMES, /, **sections: str) -> str:
    parts = [
        f"{number}. {name}:\n{sections[key]}\n"
        for number, (key, name) in enumerate(names.items(), 1)
        if key in sections
    ]
    return f"{OPENING}Summary:\n" + "\n".join(parts)


def found(**sections: str) -> list[Candidate]:
    return Session().compacts(summary(**sections)).found()


def contents(**sections: str) -> list[str]:
    return [one.content for one in found(**sections)]


def test_a_concept_with_a_rule_or_a_value_is_suggested() -> None:
    listed = found(
        concepts="   - Server components must never import the `db` client directly\n"
        "   - The queue runs on 10.20.0.7, not on the laptop\n"
        "   - Import worker starts the mock server on localhost:4010\n"
    )
    assert [(one.rule, one.tier, one.kind, one.tags) for one in listed] == [
        ("concept", "suggested", "policy", ()),
        ("concept", "suggested", "fact", ("environment",)),
        ("concept", "suggested", "fact", ("environment",)),
    ]


@pytest.mark.parametrize(
    "concept",
    [
        "Commands that write files are NOT recorded by `Journal`",
        "Workers (importer, mailer) run on `10.20.0.7`, NOT on the laptop",
        "**Shadow tables**: Use one transaction via `swap()`, never rename by hand",
    ],
)
def test_a_rule_with_a_main_verb_is_heard(concept: str) -> None:
    assert [one.rule for one in found(concepts=f"   - {concept}\n")] == ["concept"]


@pytest.mark.parametrize(
    "concept",
    [
        "React 19, Vite and Tailwind",
        "Terminal styling with color codes and Unicode characters",
        "Request handling (GET, POST), form parsing, hooks",
        "Build pipeline (assets/build.js)",
        "Type-safe client with generated code for internal services",
        "Added `retry` to the `PriceCache` loader, which never gives up",
        "`loadCart(id)`: Reads the cart and returns its lines",
        "`loadCart()` cleanup: When the cart is empty, drop the entries of `PriceCache`",
        "PriceCache: `load()` was losing entries (fixed in #12)",
        "Sessions of `PriceCache` that were never closed, getting counted at every start",
        "It must never be called before the session exists",
        "The importer is currently blocked by the failing test in `cart.ts`",
        "We should only call `renew()` from the worker",
    ],
)
def test_names_reports_and_what_cannot_stand_alone_are_no_statements(concept: str) -> None:
    assert contents(concepts=f"   - {concept}\n") == []


def test_a_long_item_is_read_part_by_part() -> None:
    long = "in every worker that has been started by the scheduler of the second region " * 4
    assert contents(
        concepts="   - **Price cache**:\n"
        f"     - `PriceCache` must never be shared, {long}\n"
        "     - Something else\n"
    ) == [f"Price cache: `PriceCache` must never be shared, {long.strip()}."]


def test_what_is_pending_and_what_stands_before_the_summary_is_not_read() -> None:
    assert (
        found(
            intent="   - The user must always have the importer finished first.",
            pending="   - The importer must never run during backups, fix it in `cron.ts`",
        )
        == []
    )
    text = summary(concepts="   - nothing").replace("First I looked.", "2. Concepts:\n - x must y")
    assert Session().compacts(text).found() == []


def test_in_another_language_the_number_names_the_section_and_values_count() -> None:
    text = summary(
        RUSSIAN,
        intent="   - Нужно ускорить импорт накладных и не сломать выгрузку для бухгалтерии",
        concepts="   - Очередь работает на 10.20.0.7, а не на ноутбуке разработчика\n"
        "   - Импорт никогда нельзя запускать во время резервного копирования базы\n"
        "   - Общие понятия и названия библиотек проекта\n",
        pending="   - Импорт никогда нельзя запускать без проверки файлов",
    )
    listed = Session().compacts(text).found()
    assert [(one.rule, one.tags) for one in listed] == [
        ("concept", ("environment",)),
        ("concept", ()),
    ]


@given(st.text(alphabet='ab `.:-*#\n12"“”()', max_size=200))
def test_no_text_breaks_the_reading_of_a_section(text: str) -> None:
    found(concepts=text, files=text, errors=text, problems=text, messages=text)

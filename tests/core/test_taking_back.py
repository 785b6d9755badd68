"""“Forget that” takes back what was just said, “forget the rule about X” that rule, and neither
becomes a line that tells an agent to forget."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from tests.conftest import Clock
from tests.core.test_changed_rules import hear, in_force
from tests.transcript_samples import Sample

SENTENCES = "Use short sentences in the handbook"


@pytest.mark.parametrize(
    ("asked", "taken_back"),
    [
        ("remember: the canary host is kiwi-3.acme.test",
         "hmm scratch that, kiwi-3 is gone next week"),
        ("remember that the flag is called FF_QUILL", "no wait, forget that, it's only a demo"),
        ("merk dir: Rechnungen gehen an buero@acme.test", "vergiss das wieder, war falsch"),
        ("retiens : les rapports partent le lundi", "oublie ça, c'était faux"),
        ("recuerda: el servidor de pruebas es lima-2", "olvida eso"),
        ("lembre-se: o servidor de testes é lima-2", "esquece isso, estava errado"),
        ("запомни: тестовый сервер lima-2", "забудь это"),
        ("覚えておいて：テストサーバーはlima-2です", "それは忘れてください"),
        ("记住：测试服务器是 lima-2", "忘掉这个"),
        ("기억해: 테스트 서버는 lima-2야", "그건 잊어 줘"),
    ],
)  # fmt: skip
def test_forget_that_takes_back_what_was_just_asked(
    cortex: Cortex, clock: Clock, tmp_path: Path, asked: str, taken_back: str
) -> None:
    """Also where the session was read between the two."""
    moment = datetime.fromtimestamp(clock.now, UTC)
    session = Sample("s", cwd=str(cortex.workspace.project.root), start=moment)
    session.human("remember: the canary port is 8080").human(asked)
    file = session.write(tmp_path / "s.jsonl")
    cortex.exchange.import_transcripts([file])
    assert len(in_force(cortex)) == 2
    clock.advance(hours=1)
    cortex.exchange.import_transcripts([session.human(taken_back).write(file)])
    assert in_force(cortex) == ["The canary port is 8080."]
    assert not cortex.review.list()
    cortex.undo()
    assert len(in_force(cortex)) == 2


def test_forget_that_means_what_was_said_just_before_and_nothing_else(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    port = "remember: the canary port is 8080"
    hear(cortex, clock, tmp_path, port, "fix the login form", "forget that")
    hear(cortex, clock, tmp_path, "forget that, I did it myself")
    assert in_force(cortex) == ["The canary port is 8080."]


def test_a_rule_that_was_just_said_is_not_suggested(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, "Never push to the hotfix branches.", "hm no, forget that")
    assert not cortex.suggestions.list()
    assert in_force(cortex) == []


@pytest.mark.parametrize(
    ("rule", "taken_back"),
    [
        (SENTENCES, "forget the rule about short sentences"),
        ("Every function gets a type annotation", "drop the rule about type annotations"),
        ("Nobody deploys on Fridays", "you can forget what I said about Fridays"),
        ("Commits nie am Freitag auf main", "vergiss die Regel mit dem Freitag"),
        ("Commits nie am Freitag auf main", "vergiss, was ich über Commits am Freitag gesagt habe"),
        ("Les phrases de la doc sont courtes", "oublie la règle sur les phrases courtes"),
        ("Las frases del manual son cortas", "olvida la regla sobre las frases cortas"),
        ("As frases do manual são curtas", "esquece a regra sobre as frases curtas"),
        ("Пиши короткие предложения", "забудь правило про короткие предложения"),
        ("ドキュメントで略語は使わない", "略語のルールは忘れて"),
        ("文档使用短句", "忘掉关于短句的规则"),
        ("문서는 짧은 문장으로 쓴다", "짧은 문장에 대한 규칙은 잊어 줘"),
    ],
)
def test_the_rule_that_is_named_is_put_away_and_nothing_stands_in_its_place(
    cortex: Cortex, clock: Clock, tmp_path: Path, rule: str, taken_back: str
) -> None:
    cortex.remember(rule, kind="policy")
    cortex.remember("Reviewers are asked before a release", kind="policy")
    hear(cortex, clock, tmp_path, taken_back)
    assert in_force(cortex) == ["Reviewers are asked before a release"]
    assert not cortex.review.list()
    cortex.undo()
    assert rule in in_force(cortex)


def test_where_several_rules_may_be_meant_the_user_is_asked(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    cortex.remember(SENTENCES, kind="policy")
    cortex.remember("Short sentences have no semicolon", kind="policy")
    hear(cortex, clock, tmp_path, "forget the rule about short sentences")
    assert len(cortex.review.list()) == 2
    note = cortex.surface().text
    assert SENTENCES in note
    assert "orget the rule" not in note


def test_an_order_to_change_a_file_is_no_word_on_a_rule(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    cortex.remember("No semicolons in our code", kind="policy")
    hear(cortex, clock, tmp_path, "remove the rule about semicolons from the linter's config")
    assert in_force(cortex) == ["No semicolons in our code"]


def test_an_exception_stands_beside_its_rule_and_tells_nobody_to_forget(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, "Remember: Tailwind classes only, as everywhere else here")
    hear(
        cortex,
        clock,
        tmp_path,
        "forget what I said about tailwind only, inline styles are fine for print.css",
    )
    (waiting,) = cortex.suggestions.list()
    cortex.suggestions.keep(waiting.id)
    note = cortex.surface().text.casefold()
    assert "tailwind classes only" in note
    assert "inline styles are fine for print.css" in note
    assert "forget" not in note


def test_what_is_kept_is_near_what_it_may_replace(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    old = cortex.remember("We deploy the shop by hand on Tuesdays", kind="policy")
    hear(cortex, clock, tmp_path, "Always deploy the shop whenever the main branch is green.")
    (waiting,) = cortex.suggestions.list()
    assert [one.id for one in cortex.graph.near(waiting.content)] == [old.id]
    cortex.suggestions.keep(waiting.id)
    assert cortex.graph.near(waiting.content) == []

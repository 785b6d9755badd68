"""Drawing one row: widths, cuts, marks, notes."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len
from rich.style import Style

from cortex_core.base.kinds import DEFAULT
from cortex_core.records.memory import Memory, Sort, Source
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.memory_list import (
    LONGEST_TITLE,
    Paint,
    RowView,
    columns,
    head,
    measured,
    segments,
)
from cortex_tui.widgets.lines import bar, fit, marked, matches, written_by
from cortex_tui.widgets.preview import facts

PAINT = Paint(
    row=Style(),
    muted=Style(),
    accent=Style(),
    match=Style(underline=True),
    good=Style(),
    warning=Style(bold=True),
    gone=Style(),
    knowledge=Style(),
    history=Style(),
    cursor=Style(reverse=True),
)
NOW = 1_789_646_400.0


def memory(**values: object) -> Memory:
    fields: dict[str, object] = {
        "id": "a" * 32,
        "content": "c",
        "title": "Tests run in CI",
        "kind": "fact",
        "scope": "project",
        "updated": NOW - 3 * 86400,
        "source": Source(rule="rule:fact"),
        **values,
    }
    return Memory(**fields)  # type: ignore[arg-type]


def drawn(
    one: Memory, width: int = 80, view: RowView | None = None, *words: str, ascii_only: bool = False
) -> str:
    parts = segments(
        one,
        view or RowView(age=one.updated),
        columns(width),
        PAINT,
        Glyphs(ascii_only=ascii_only),
        kinds=DEFAULT,
        words=words,
        now=NOW,
    )
    return "".join(part.text for part in parts)


@given(st.text(max_size=60), st.integers(0, 40))
def test_fit_gives_exactly_the_width(value: str, width: int) -> None:
    assert cell_len(fit(Glyphs().line(value), width)) == width


@given(
    st.text(max_size=LONGEST_TITLE + 20),
    st.integers(30, 200),
    st.booleans(),
    st.lists(st.text(min_size=1, max_size=8), max_size=3),
)
def test_a_row_is_never_wider_than_the_list(
    title: str, width: int, ascii_only: bool, words: list[str]
) -> None:
    shown = drawn(memory(title=title), width, None, *words, ascii_only=ascii_only)
    assert cell_len(shown) == width
    assert not ascii_only or shown.isascii()
    assert not {unicodedata.category(letter) for letter in shown} & {"Cc", "Cs", "Zl", "Zp"}


def test_wide_letters_are_cut_between_not_through() -> None:
    assert fit("日本語", 4) == "日 …"
    assert fit("日本語", 5) == "日本…"
    assert fit("日本語", 6) == "日本語"


def test_the_80_column_list_has_glyph_title_number_and_age() -> None:
    one = memory()
    shown = drawn(one, 58, RowView(age=one.updated, measure=0.92))
    assert "fact" not in shown
    assert shown.split()[:4] == ["•", "○", "Tests", "run"]
    assert shown.split()[-2:] == ["92", "3d"]


def test_a_wide_list_names_the_kind_and_draws_a_bar() -> None:
    one = memory()
    shown = drawn(one, 89, RowView(age=one.updated, measure=0.9))
    assert "• ○ fact" in shown
    assert "90 ━━━━╸" in shown
    assert "project" not in shown


def test_the_widest_list_has_a_column_for_the_scope() -> None:
    one = memory(scope="global")
    assert drawn(one, 89, RowView(age=one.updated)).split().count("global") == 1
    assert drawn(one, 90, RowView(age=one.updated)).split().count("global") == 1
    assert "project" in drawn(memory(), 90)


def test_a_standing_that_is_not_known_yet_is_left_blank() -> None:
    one = memory()
    assert drawn(one, 58, RowView(age=one.updated)).split()[-2:] == ["CI", "3d"]


def test_a_mark_stands_beside_the_cursor() -> None:
    assert drawn(memory(), 80, RowView(cursor=True, marked=True)).startswith("▌■ ")
    assert drawn(memory(), 80, RowView(marked=True), ascii_only=True).startswith(" + ")


@pytest.mark.parametrize(
    ("by", "scope", "sign"),
    [
        ("person", "project", "●"),
        ("rule:fix", "project", "○"),
        ("agent", "project", "◇"),
        ("person", "team", "⋈"),
    ],
)
def test_a_sign_says_whose_words_it_is(by: str, scope: str, sign: str) -> None:
    assert f"• {sign} " in drawn(memory(source=Source(rule=by), scope=scope))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("person", "written by you"),
        ("rule:prompt-wish", "said by you, heard as wish"),
        ("rule:order", "said by you, heard as order"),
        ("rule:commit", "found by the rule commit"),
        ("agent", "written by an agent"),
    ],
)
def test_the_speaker_is_told(rule: str, words: str) -> None:
    assert written_by(Source(rule=rule)) == words


@pytest.mark.parametrize(
    ("until", "words"), [("session", "for its session"), ("2026-12-04", "until 2026-12-04")]
)
def test_the_preview_says_how_long_it_holds(until: str, words: str) -> None:
    memory = Memory(
        id="x", content="Leave the docs alone", title="", kind="policy", scope="project"
    )
    said = [next(facts(one, Glyphs(), 0.0))[0] for one in (memory, replace(memory, until=until))]
    assert said[1] == f"{said[0]}   {words}"


def test_how_it_is_given_is_told() -> None:
    assert "never injected" in drawn(memory(inject="never"))
    assert "demoted" in drawn(memory(inject="demoted"))


def test_what_a_change_took_out_of_the_filter_is_told() -> None:
    assert "✕ filtered out" in drawn(memory(), 80, RowView(forgotten=True))


@pytest.mark.parametrize(
    ("share", "drawing"),
    [
        (0.0, "─────"),
        (0.04, "─────"),
        (0.1, "╸────"),
        (0.5, "━━╸──"),
        (1.0, "━━━━━"),
        (7.0, "━━━━━"),
    ],
)
def test_the_bar(share: float, drawing: str) -> None:
    assert bar(share, Glyphs()) == drawing


def test_status_is_a_sign_and_a_word() -> None:
    assert "◇ suggested" in drawn(memory(status="suggested"))
    assert "▲ quarantined" in drawn(memory(status="quarantined"))
    assert "◌ archived" in drawn(memory(status="archived"))
    assert "✕ forgotten" in drawn(memory(status="archived"), 80, RowView(forgotten=True))
    assert "≈ meaning" in drawn(memory(), 80, RowView(by_meaning=True))
    assert "global" in drawn(memory(scope="global"))
    assert "fading" in drawn(memory(confidence=0.2))
    assert "★" in drawn(memory(pinned=True))


def test_a_forgotten_row_is_struck_through() -> None:
    parts = segments(
        memory(status="archived"),
        RowView(forgotten=True),
        columns(80),
        PAINT,
        Glyphs(),
        kinds=DEFAULT,
        words=(),
        now=NOW,
    )
    (title,) = [part for part in parts if "Tests run" in part.text]
    assert title.style is not None
    assert title.style.strike


def test_matches_begin_words_and_forgive_endings() -> None:
    assert matches("Token refresh, broken tokens", ["token"]) == [(0, 5), (22, 27)]
    assert matches("Token refresh", ["tokens"]) == [(0, 5)]
    assert matches("broken", ["token"]) == []
    assert matches("a+b (c)", ["a+b"]) == [(0, 3)]
    assert matches("Straße", ["stra"]) == [(0, 4)]


def test_matches_are_anywhere_in_what_has_no_blanks() -> None:
    assert matches("使用pnpm管理依赖", ["依赖"]) == [(8, 10)]
    assert matches("使用pnpm管理依赖", ["pnp", "管理"]) == [(2, 5), (6, 8)]
    assert matches("데이터베이스를 백업", ["백업", "베이스"]) == [(3, 6), (8, 10)]


def test_marks_are_underlined() -> None:
    found = list(marked("Token refresh", [(0, 5)], Style(), PAINT.match))
    assert [(part.text, bool(part.style and part.style.underline)) for part in found] == [
        ("", False),
        ("Token", True),
        (" refresh", False),
    ]


@given(st.text(max_size=40), st.lists(st.text(min_size=1, max_size=6), max_size=4))
def test_marking_loses_no_letter(title: str, words: list[str]) -> None:
    spans = matches(title, words)
    assert "".join(part.text for part in marked(title, spans, Style(), Style())) == title


def test_markup_and_escapes_stay_text_or_vanish() -> None:
    shown = drawn(memory(title="[bold]x[/] \x1b[31mred\x1b[0m \x07\x00 \u202eback"), 100)
    assert "[bold]x[/] red back" in shown
    assert "\x1b" not in shown


def test_ascii_shows_no_other_sign() -> None:
    one = memory(title="naïve “quotes” → 日本", pinned=True, scope="global", confidence=0.2)
    shown = drawn(one, 110, ascii_only=True)
    assert shown.isascii()
    assert 'na?ve "quotes" -> ??' in shown


def test_emoji_are_measured_without_joiners() -> None:
    family = "👩\u200d👩\u200d👧 done"
    assert "\u200d" not in Glyphs().line(family)
    assert cell_len(drawn(memory(title=family), 60)) == 60


@given(st.integers(40, 200))
def test_the_names_of_the_columns_stand_over_them(width: int) -> None:
    shape = columns(width)
    names, row = head(shape, "updated"), drawn(memory(), width)
    assert len(names) == len(row) == width
    assert names.index("title") == row.index("Tests")
    assert names.endswith("said ")


@pytest.mark.parametrize(
    ("sort", "shown", "named"),
    [
        ("updated", 0.65, "importance"),
        ("confidence", 0.9, "confidence"),
        ("priority", 0.8, "priority"),
    ],
)
def test_the_list_shows_what_it_is_sorted_by(sort: Sort, shown: float, named: str) -> None:
    one = memory(priority=8, confidence=0.9)
    assert measured(one, sort, lambda _: 0.65) == shown
    assert named in head(columns(80), sort)

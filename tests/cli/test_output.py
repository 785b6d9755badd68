"""What reaches the terminal: clean, uncut in a pipe, within its width on a screen."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len
from rich.text import Text

from cortex_core.cli import output
from cortex_core.cli.output import Column, View

PAIRS: View[tuple[str, str]] = View(
    (Column("name"), Column("", "yellow"), Column("text", fills=True)),
    lambda pair: (pair[0], "", pair[1]),
    lambda pair: {"name": pair[0], "text": pair[1]},
)

HOSTILE = (
    "[bold]x[/] [link=https://example.org]y[/] \x1b[31mred\x1b]0;title\x07 :smile: \ud800 \x00"
)


class Screen(io.StringIO):
    """A terminal that is not there."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@contextmanager
def on_screen(**environment: str) -> Iterator[Screen]:
    """stdout as an 80-column terminal, for as long as the block runs."""
    made, kept = Screen(), sys.stdout
    output._console.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"COLUMNS": "80", "TERM": "xterm-256color", **environment}.items():
            patch.setenv(name, value)
        sys.stdout = made
        try:
            yield made
        finally:
            sys.stdout = kept
            output._console.cache_clear()


def test_a_pipe_gets_whole_plain_rows(capsys: pytest.CaptureFixture[str]) -> None:
    long = "word " * 100
    assert output.show(PAIRS, [("a", long), ("bcd", "second\nline")], as_json=False) == 2
    assert capsys.readouterr().out == f"a    {long.strip()}\nbcd  second line\n"


def test_empty_is_said_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert output.show(PAIRS, [], as_json=False, empty="Nothing here.") == 0
    assert output.show(PAIRS, [], as_json=True, empty="Nothing here.") == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "Nothing here.\n"


def test_json_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    text = "one\ntwo\u2028three\u0085four\x0cfive 漢字 \ud800"
    output.show(PAIRS, [("a", text)], as_json=True)
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 1
    assert json.loads(printed)["text"] == text.replace("\ud800", "?")
    assert "漢字" in printed


@given(st.text())
def test_any_text_survives_as_json(text: str) -> None:
    kept, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), "utf-8")
    try:
        output.emit({"text": text})
        sys.stdout.seek(0)
        assert json.loads(sys.stdout.read()) == {"text": text}
    finally:
        sys.stdout = kept


def test_a_terminal_without_unicode_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    output.prepare()
    output.emit({"text": "ü"})
    output.say("ü")
    stream.seek(0)
    assert stream.read() == '{"text": "\\u00fc"}\n?\n'


@pytest.mark.parametrize("text", ["x" * 500, "漢字 " * 100, HOSTILE, "a\nb", ""], ids=range(5))
def test_tables_fit_the_screen(text: str) -> None:
    with on_screen() as screen:
        output.show(PAIRS, [("name", text), ("other", "short")], as_json=False)
    for line in screen.getvalue().splitlines():
        assert cell_len(Text.from_ansi(line).plain) <= 80
    assert "short" in screen.getvalue()


def test_nothing_is_read_as_markup() -> None:
    with on_screen() as screen:
        output.show(PAIRS, [("name", HOSTILE)], as_json=False)
        output.say(HOSTILE, "dim")
        output.item(HOSTILE[:10], (HOSTILE, "bold"), width=8)
    printed = screen.getvalue()
    assert printed.count("[bold]x[/]") == 3
    assert printed.count("[link=https://example.org]y[/]") == 3
    assert printed.count(":smile:") == 3
    assert "\x1b[31m" not in printed
    assert "\x1b]" not in printed
    assert "\x00" not in printed


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}])
def test_no_color_is_honoured(environment: dict[str, str]) -> None:
    coloured = View((Column("name", "red"), *PAIRS.columns[1:]), PAIRS.row, PAIRS.shape)
    with on_screen(**environment) as screen:
        output.show(coloured, [("name", "x")], as_json=False)
    assert ("\x1b[31m" in screen.getvalue()) == (not environment)


def test_a_dumb_terminal_gets_no_escapes() -> None:
    with on_screen(TERM="dumb") as screen, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", screen)
        output.show(PAIRS, [("name", "x")], as_json=False)
        output.say("done", "bold", indent=2)
        output.item("label", ("a title", "bold"), width=8, marked=["title"])
        output.warn("It failed.")
        with output.progress("Working") as progress:
            progress(1, 2, "half")
        assert not output.paints()
    assert "\x1b" not in screen.getvalue()
    assert "Working …" in screen.getvalue()
    assert "a title" in screen.getvalue()


def test_a_column_that_is_empty_is_left_out() -> None:
    with on_screen() as screen:
        output.show(PAIRS, [("a", "b")], as_json=False)
    assert screen.getvalue().splitlines()[-1].split() == ["a", "b"]
    assert screen.getvalue().splitlines()[-1].startswith("a     b")


def test_an_item_hangs_beside_its_label(capsys: pytest.CaptureFixture[str]) -> None:
    output.item("1f3a9c20", ("A title", "bold"), ("what it\nsays", ""), width=8)
    assert capsys.readouterr().out == "1f3a9c20  A title\n          what it says\n"
    with on_screen() as screen:
        output.item("1f3a9c20", ("word " * 30, ""), width=8)
    first, *rest = screen.getvalue().splitlines()
    assert first.startswith("\x1b[36m1f3a9c20")
    assert rest
    assert all(Text.from_ansi(line).plain.startswith(" " * 10 + "word") for line in rest)


def test_stacked_rows_are_whole_on_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    view = View(PAIRS.columns, PAIRS.row, PAIRS.shape, stacked=True)
    with on_screen() as screen:
        output.show(view, [("name", "word " * 30)], as_json=False)
    assert Text.from_ansi(screen.getvalue()).plain.count("word") == 30
    output.show(view, [("name", "word")], as_json=False)
    assert capsys.readouterr().out == "name  word\n"


def test_progress_is_silent_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with output.progress("Reading") as progress:
        progress(1, 2, "file")
    assert capsys.readouterr() == ("", "")


def test_progress_shows_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with on_screen() as screen:
        monkeypatch.setattr(sys, "stderr", screen)
        with output.progress("Reading") as progress:
            progress(1, 2, "[bold]a.jsonl")
    assert "Reading" in screen.getvalue()

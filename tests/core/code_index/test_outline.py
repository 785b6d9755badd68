"""The structure of source files, by `ast` and by tree-sitter."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cortex_core.code_index import outline as outline_module, pairs
from cortex_core.code_index.outline import LANGUAGES, Outline, Unparsable, outline
from cortex_core.code_index.pairs import SourceFile
from cortex_core.redaction.values import parts

SOURCES = {
    "tide.py": '''"""When the harbour is deep enough for a ship."""

# Ebb and flood differ by up to four metres here.
DEPTH = 3
"""Metres at the lowest tide."""


class Tide(Base):
    """One turn of the tide."""

    @property
    def height(self) -> float:
        """Metres above the chart's zero."""
        return self._height  # measured, never computed


async def next_high(harbour: str, after: float = 0.0) -> Tide:
    """The next high tide.

    Args:
        harbour: its name.
    """
''',
    "tide.ts": """// Copyright 2024 A Harbour. All rights reserved.
// When the harbour is deep enough for a ship.
import { sea } from "./sea";

/**
 * One turn of the tide.
 */
export class Tide extends Base<number> {
  /** Metres above the chart's zero. */
  @memo() get height(): number { return 1; }
}

/** The next high tide. */
export const nextHigh = async (harbour: string): Promise<Tide> => {
  // ebb and flood differ by four metres here
  return null;
};
interface Harbour { name: string }
""",
    "tide.go": """// Package tide says when the harbour is deep enough for a ship.
package tide

// Tide is one turn of the tide.
type Tide struct{ height float64 }

// Height is in metres above the chart's zero.
func (t *Tide) Height() float64 { return t.height }

// NextHigh finds the next high tide.
func NextHigh(harbour string) (*Tide, error) {
	// ebb and flood differ by four metres here
	return nil, nil
}
""",
    "tide.rs": """//! When the harbour is deep enough for a ship.
use std::io;

/// One turn of the tide.
#[derive(Debug)]
pub struct Tide { height: f64 }

impl Tide {
    /// Metres above the chart's zero.
    pub fn height(&self) -> f64 { self.height }
}

/// The next high tide.
pub fn next_high(harbour: &str) -> io::Result<Tide> {
    // ebb and flood differ by four metres here
    todo!()
}
""",
    "Tide.java": """/** One turn of the tide. */
@Entity
public class Tide extends Base {
  /** Metres above the chart's zero. */
  @Override public double height() { return 1; }

  /** The next high tide. */
  public static Tide nextHigh(String harbour) {
    // ebb and flood differ by four metres here
    return null;
  }
}
""",
    "tide.js": """// When the harbour is deep enough for a ship.
"use strict";

/** One turn of the tide. */
class Tide {
  /** Metres above the chart's zero. */
  height() { return 1; }
}

// The next high tide.
exports.nextHigh = (harbour) => {
  // ebb and flood differ by four metres here
  return null;
};
""",
}


def named(found: Outline) -> dict[str, str]:
    return {symbol.name: pairs.paragraph(symbol.doc) for symbol in found.symbols}


@pytest.mark.parametrize("path", SOURCES)
def test_names_and_their_documentation(path: str) -> None:
    found = outline(SOURCES[path], path)
    told = {name.replace("_", "").lower(): doc for name, doc in named(found).items()}
    assert told["tide"].endswith("ne turn of the tide." if path != "tide.go" else "the tide.")
    assert "chart's zero" in told["tide.height"]
    high = next(doc for name, doc in told.items() if name.endswith("nexthigh"))
    assert "next high tide" in high
    assert "harbour" not in high, "parameters are no prose"


@pytest.mark.parametrize("path", [path for path in SOURCES if path != "Tide.java"])
def test_what_a_file_says_of_itself(path: str) -> None:
    doc = outline(SOURCES[path], path).doc
    assert "hen the harbour is deep enough for a ship" in doc
    assert "Copyright" not in doc


@pytest.mark.parametrize("path", SOURCES)
def test_comments_are_kept_with_their_lines(path: str) -> None:
    found = [one.text.lower() for one in outline(SOURCES[path], path).comments]
    assert any("ebb and flood differ" in text for text in found)


@pytest.mark.parametrize("path", SOURCES)
def test_lines_are_where_the_definition_is(path: str) -> None:
    lines = SOURCES[path].splitlines()
    for symbol in outline(SOURCES[path], path).symbols:
        stretch = "\n".join(lines[symbol.first - 1 : symbol.last])
        assert symbol.name.rpartition(".")[2] in stretch
        assert "return" not in symbol.signature


def test_signatures_have_no_default_values() -> None:
    (symbol,) = outline('def f(key="sk-made-up", *, n: int = 3, **rest): ...', "a.py").symbols
    assert symbol.signature == "def f(key, *, n: int, **rest)"


def test_an_unknown_language_is_refused_in_words() -> None:
    with pytest.raises(Unparsable, match="--prose"):
        outline("puts 1", "a.rb")


@pytest.mark.parametrize("source", ["def f(:\n", "x = \x00", "(" * 300])
def test_broken_python_is_refused_in_words(source: str) -> None:
    with pytest.raises(Unparsable, match="cannot be parsed"):
        outline(source, "a.py")


@given(st.sampled_from(sorted(set(LANGUAGES) - {".py", ".pyi"})), st.text(max_size=200))
def test_no_source_breaks_a_reader(suffix: str, source: str) -> None:
    found = outline(source, f"a{suffix}")
    assert isinstance(found, Outline)


@pytest.mark.parametrize("path", SOURCES)
def test_half_a_file_is_read_as_far_as_it_goes(path: str) -> None:
    if path.endswith(".py"):
        return
    half = SOURCES[path][: len(SOURCES[path]) * 2 // 3]
    assert outline(half, path).symbols


def test_names_are_taken_apart() -> None:
    assert parts("parseHTTPHeader") == ["parse", "http", "header"]
    assert parts("take_over_output2") == ["take", "over", "output", "2"]


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("# noqa: E501", ""),
        ("// eslint-disable-next-line", ""),
        ("# Why so", "Why so"),
        ("/** A\n * B\n */", "A\nB"),
        ("/// Rust", "Rust"),
        ("# type: ignore", ""),
    ],
)
def test_comments_without_their_markers(raw: str, told: str) -> None:
    assert outline_module.prose(raw) == told


def test_a_long_file_is_told_in_pieces() -> None:
    body = "\n".join(f"    step({n})" for n in range(40))
    source = '"""All the steps."""\n\n' + "\n\n".join(
        f'def stage_{n}():\n    """Stage {n} of the journey."""\n{body}' for n in range(9)
    )
    assert ast.parse(source)
    made = SourceFile(
        file=Path("a.py"), path="a.py", text=source, language="python", sha256="", size=0, mtime=0
    )
    found = list(pairs.pieces(made, outline(source, "a.py")))
    assert [piece.symbol for piece in found] == ["", *(f"stage_{n}" for n in range(9))]
    assert found[3].title == "stage_2 in a.py: Stage 2 of the journey."
    assert made.excerpt(found[3].first, found[3].last).startswith("def stage_2()")
    assert "Stage 8" in found[0].prose
